import { parseArgs } from "node:util";
import { SetUpError } from "./set-up-error.ts";

/** Parses the command line; `--help` prints the usage and exits. @throws SetUpError on unknown arguments. */
export function readSwitches<Name extends string>(usage: string, names: readonly Name[]): Set<Name> {
  return readArguments(usage, names, 0).switches;
}

/** As {@link readSwitches}, with up to `maxPositionals` other arguments. */
export function readArguments<Name extends string>(
  usage: string,
  names: readonly Name[],
  maxPositionals: number,
) {
  const args = process.argv.slice(2);
  exitWithHelp(usage, args);
  const { tokens } = parseArgs({ args, strict: false, tokens: true });
  const switches = new Set<Name>();
  const positionals: string[] = [];
  for (const token of tokens) {
    const name = token.kind === "option" ? names.find((candidate) => token.name === candidate) : undefined;
    if (name !== undefined) switches.add(name);
    else if (token.kind === "positional" && positionals.length < maxPositionals)
      positionals.push(token.value);
    else throw new SetUpError(`Unknown argument ${args[token.index]}.\n\n${usage}`);
  }
  return { switches, positionals };
}

export function exitWithHelp(usage: string, args: readonly string[]): void {
  if (!args.includes("--help") && !args.includes("-h")) return;
  console.log(usage);
  process.exit(0);
}
