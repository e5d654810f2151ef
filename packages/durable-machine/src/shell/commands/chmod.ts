import { CHANGE_OPTIONS, changeAttributes, readChange } from "./change-attributes.ts";
import type { MachineCommand } from "./invocation.ts";
import { formatPermissions, readModeChange } from "./modes.ts";
import { quoteName } from "./quoting.ts";

/** Moves a mode such as `-x`, which would be read as options, behind them. */
function withModeBehindOptions(args: readonly string[]): readonly string[] {
  const mode = args.find((arg) => /^-[rwxXstugoa,+=-]+$/.test(arg));
  if (mode === undefined || args.includes("--")) return args;
  const options = args.filter((arg) => arg.startsWith("-") && arg !== mode);
  return [...options, "--", mode, ...args.filter((arg) => !arg.startsWith("-"))];
}

function describeMode(mode: number): string {
  return `${mode.toString(8).padStart(4, "0")} (${formatPermissions(mode)})`;
}

export const chmod: MachineCommand = {
  name: "chmod",
  usage: "chmod [OPTION]... MODE[,MODE]... FILE...",
  async run(invocation) {
    const options = invocation.options(CHANGE_OPTIONS, { args: withModeBehindOptions(invocation.args) });
    const { value, operands } = readChange(options);
    const change = readModeChange(value, invocation.credentials.umask);
    await changeAttributes(invocation, options, operands, {
      followsOperands: true,
      apply(operand, status) {
        // A symlink has no mode of its own, and its target is not in the tree.
        if (status.type === "symlink") return undefined;
        const mode = change(status.mode, status.type === "directory");
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
