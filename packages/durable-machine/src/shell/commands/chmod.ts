import type { FileStatus } from "../../file-system/file-system.ts";
import { statusOf } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { formatOctal, formatPermissions, type ModeChange, parseModeChange } from "./modes.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { walkTree } from "./walk.ts";

/** A mode that begins with a minus looks like options: it is told apart, and goes first behind them. */
function withModeBehindOptions(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const index = args.findIndex(
    (arg, at) => (end === -1 || at < end) && /^-[rwxXstugoa0-7,+=-]+$/.test(arg) && arg !== "--",
  );
  const mode = args[index];
  if (mode === undefined) return [...args];
  const others = args.filter((_, at) => at !== index);
  const options = others.filter((arg) => arg.startsWith("-") && arg !== "--");
  return [...options, "--", mode, ...others.filter((arg) => !arg.startsWith("-"))];
}

function describeMode(mode: number): string {
  return `${formatOctal(mode)} (${formatPermissions(mode)})`;
}

class ModeChanger {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #change: ModeChange;

  constructor(invocation: Invocation, options: ParsedOptions, change: ModeChange) {
    this.#invocation = invocation;
    this.#options = options;
    this.#change = change;
  }

  async changeOperand(operand: string): Promise<void> {
    let status: FileStatus;
    try {
      status = this.#invocation.files.status(this.#invocation.path(operand), this.#invocation.credentials);
    } catch (error) {
      return this.#complain(
        statusOf(this.#invocation, operand, { followSymlink: false })
          ? `cannot operate on dangling symlink ${quoteName(operand)}`
          : `cannot access ${quoteName(operand)}: ${errorText(error)}`,
      );
    }
    if (!this.#options.has("R")) return await this.#changeFile(operand, status);
    for await (const walked of walkTree(this.#invocation, { operand, status }, "before")) {
      // A symlink has no mode of its own, and what it leads to is not in the tree.
      if (walked.status.type !== "symlink") await this.#changeFile(walked.operand, walked.status);
    }
  }

  async #changeFile(operand: string, status: FileStatus): Promise<void> {
    const { files, credentials } = this.#invocation;
    await this.#invocation.step();
    const mode = this.#change(status.mode, status.type === "directory");
    try {
      files.changeMode(this.#invocation.path(operand), credentials, mode);
    } catch (error) {
      return this.#complain(`changing permissions of ${quoteName(operand)}: ${errorText(error)}`);
    }
    const changed = mode !== status.mode;
    const from = describeMode(status.mode);
    const name = quoteName(operand);
    if (changed && this.#options.has("v", "c")) {
      await this.#invocation.print(`mode of ${name} changed from ${from} to ${describeMode(mode)}\n`);
    } else if (!changed && this.#options.has("v")) {
      await this.#invocation.print(`mode of ${name} retained as ${from}\n`);
    }
  }

  /** Silent where it is told to be; the exit code says it all the same. */
  #complain(message: string): void {
    if (this.#options.has("f")) this.#invocation.failSilently();
    else this.#invocation.complain(message);
  }
}

function chooseChange(invocation: Invocation, text: string): ModeChange {
  const change = parseModeChange(text, invocation.credentials.umask);
  if (change === undefined) throw new UsageError(`invalid mode: ${quoteWord(text)}`);
  return change;
}

export const chmod: MachineCommand = {
  name: "chmod",
  usage: "chmod [OPTION]... MODE[,MODE]... FILE...",
  async run(invocation) {
    const options = invocation.options(
      [
        "c,changes",
        "f,silent",
        ",quiet",
        "v,verbose",
        "R,recursive",
        ",reference=",
        ",preserve-root",
        ",no-preserve-root",
      ],
      { args: withModeBehindOptions(invocation.args) },
    );
    const reference = options.value("reference");
    const [mode, ...rest] = options.operands;
    const files = reference === undefined ? rest : options.operands;
    if (mode === undefined) throw new UsageError("missing operand");
    if (files.length === 0) throw new UsageError(`missing operand after ${quoteWord(mode)}`);
    let change: ModeChange;
    if (reference === undefined) {
      change = chooseChange(invocation, mode);
    } else {
      const wanted = statusOf(invocation, reference)?.mode;
      if (wanted === undefined) {
        return invocation.fail(
          `failed to get attributes of ${quoteName(reference)}: No such file or directory`,
        );
      }
      change = () => wanted;
    }
    const changer = new ModeChanger(invocation, options, change);
    for (const file of files) await changer.changeOperand(file);
  },
};
