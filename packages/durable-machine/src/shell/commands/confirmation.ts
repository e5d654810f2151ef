import type { Invocation } from "./invocation.ts";

/** Asks on standard error and takes an answer from standard input. Without one the answer is no. */
export async function confirm(invocation: Invocation, question: string): Promise<boolean> {
  invocation.say(`${invocation.name}: ${question} `);
  const answer = await invocation.input.readLine();
  return answer !== undefined && /^[yY]/.test(new TextDecoder().decode(answer));
}
