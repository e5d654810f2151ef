import { createInterface } from "node:readline/promises";
import { SetUpError } from "../local/set-up-error.ts";

/** @throws SetUpError when stdin is not a terminal. */
async function prompt(question: string, alternative: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new SetUpError(`${question}\nThis is not an interactive terminal. ${alternative}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await terminal.question(`${question} `)).trim();
  } finally {
    terminal.close();
  }
}

/** @throws SetUpError when the answer is no. */
export async function confirm(question: string): Promise<void> {
  const answer = await prompt(`${question} [y/N]`, "Pass --yes to skip the confirmation.");
  if (!/^y(es)?$/i.test(answer)) throw new SetUpError("Canceled. Nothing was changed.");
}

/** @throws SetUpError on an invalid choice. */
export async function choose<T extends { id: string; name: string }>(
  question: string,
  items: readonly T[],
  alternative: string,
): Promise<T> {
  const list = items.map(({ id, name }, index) => `  ${index + 1}  ${name} (${id})`).join("\n");
  const answer = await prompt(`${question}\n\n${list}\n\nNumber:`, alternative);
  const chosen = items[Number(answer) - 1];
  if (chosen === undefined) throw new SetUpError("Invalid choice. Nothing was changed.");
  return chosen;
}

/** @throws SetUpError unless the user types the name. */
export async function confirmByName(name: string): Promise<void> {
  const answer = await prompt(`Type ${name} to delete it:`, "Pass --yes to skip the confirmation.");
  if (answer !== name) throw new SetUpError("Canceled. Nothing was changed.");
}

export function printPlan(title: string, lines: readonly string[]): void {
  console.log(`\n${title}\n\n${lines.map((line) => `  ${line}`).join("\n")}\n`);
}
