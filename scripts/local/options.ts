import { parseArgs } from "node:util";
import { SetUpError } from "./set-up-error.ts";

/** Parses the command line; `--help` prints the usage and exits. @throws SetUpError on an unknown argument. */
export function readSwitches<Name extends string>(usage: string, names: readonly Name[]): Set<Name> {
  const args = process.argv.slice(2);
  exitWithHelp(usage, args);
  const { tokens } = parseArgs({ args, strict: false, tokens: true });
  const given = new Set<Name>();
  for (const token of tokens) {
    const name = token.kind === "option" ? names.find((candidate) => token.name === candidate) : undefined;
    if (name === undefined) throw new SetUpError(`Unknown argument ${args[token.index]}.\n\n${usage}`);
    given.add(name);
  }
  return given;
}

export function exitWithHelp(usage: string, args: readonly string[]): void {
  if (!args.includes("--help") && !args.includes("-h")) return;
  console.log(usage);
  process.exit(0);
}
