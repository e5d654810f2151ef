import { createInterface } from "node:readline/promises";
import { SetUpError } from "../local/set-up-error.ts";

/**
 * Asks the person at the terminal.
 *
 * @throws SetUpError where nobody can answer.
 */
async function ask(question: string, instead: string): Promise<string> {
  if (!process.stdin.isTTY) throw new SetUpError(`${question}\nNobody can answer here. ${instead}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`${question} `)).trim();
  } finally {
    terminal.close();
  }
}

/** @throws SetUpError when the answer is no. */
export async function confirm(question: string): Promise<void> {
  const answer = await ask(`${question} [y/N]`, "Give --yes to go on without being asked.");
  if (!/^y(es)?$/i.test(answer)) throw new SetUpError("Nothing was changed.");
}

/** @throws SetUpError when none is chosen. */
export async function choose<T extends { id: string; name: string }>(
  question: string,
  items: readonly T[],
  instead: string,
): Promise<T> {
  const list = items.map(({ id, name }, index) => `  ${index + 1}  ${name} (${id})`).join("\n");
  const answer = await ask(`${question}\n\n${list}\n\nNumber:`, instead);
  const chosen = items[Number(answer) - 1];
  if (chosen === undefined) throw new SetUpError("None was chosen. Nothing was changed.");
  return chosen;
}
