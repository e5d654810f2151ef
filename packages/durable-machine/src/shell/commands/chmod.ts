import { CHANGE_OPTIONS, changeAttributes, readChange } from "./change-attributes.ts";
import type { MachineCommand } from "./invocation.ts";
import { formatOctal, formatPermissions, type ModeChange, parseModeChange } from "./modes.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

/** A mode that begins with a minus would be read as options: it goes behind them. */
function withModeBehindOptions(args: readonly string[]): readonly string[] {
  const mode = args.find((arg) => /^-[rwxXstugoa,+=-]+$/.test(arg));
  if (mode === undefined || args.includes("--")) return args;
  const options = args.filter((arg) => arg.startsWith("-") && arg !== mode);
  return [...options, "--", mode, ...args.filter((arg) => !arg.startsWith("-"))];
}

function describeMode(mode: number): string {
  return `${formatOctal(mode)} (${formatPermissions(mode)})`;
}

export const chmod: MachineCommand = {
  name: "chmod",
  usage: "chmod [OPTION]... MODE[,MODE]... FILE...",
  async run(invocation) {
    const options = invocation.options(CHANGE_OPTIONS, { args: withModeBehindOptions(invocation.args) });
    const { operands, wish } = readChange<ModeChange>(invocation, options, {
      parse: (text) => {
        const change = parseModeChange(text, invocation.credentials.umask);
        if (change === undefined) throw new UsageError(`invalid mode: ${quoteWord(text)}`);
        return change;
      },
      copy: (model) => () => model.mode,
    });
    await changeAttributes(invocation, options, operands, {
      followsOperands: true,
      isDirectoryLast: false,
      apply(operand, status) {
        // A symlink has no mode of its own, and what it leads to is not in the tree.
        if (status.type === "symlink") return undefined;
        const mode = wish(status.mode, status.type === "directory");
        invocation.attempt("changing permissions of", operand, (files, path, credentials) =>
          files.changeMode(path, credentials, mode),
        );
        const isChanged = mode !== status.mode;
        const before = describeMode(status.mode);
        const what = isChanged ? `changed from ${before} to ${describeMode(mode)}` : `retained as ${before}`;
        return { isChanged, text: `mode of ${quoteName(operand)} ${what}` };
      },
    });
  },
};
