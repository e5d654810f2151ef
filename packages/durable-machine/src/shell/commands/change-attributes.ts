import type { FileStatus } from "../../file-system/file-system.ts";
import { join } from "./destinations.ts";
import type { Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** A change of an attribute, as `chmod` and `chown` make it with all files that they are given. */
export interface AttributeChange {
  /** Whether a symlink on the command line stands for what it leads to. */
  followsOperands: boolean;
  /** Whether a directory is changed after what is in it, and not at all where it cannot be read. */
  isDirectoryLast: boolean;
  /**
   * Changes a file.
   *
   * @returns what `-v` says of it; undefined: nothing.
   * @throws Complaint
   */
  apply(
    operand: string,
    status: FileStatus,
    followSymlink: boolean,
  ): { isChanged: boolean; text: string } | undefined;
}

export const CHANGE_OPTIONS =
  "c,changes f,silent ,quiet v,verbose R,recursive ,reference= ,preserve-root ,no-preserve-root";

/**
 * Reads what is to be changed to what: `VALUE FILE...`, or `--reference=MODEL FILE...`.
 *
 * @throws UsageError, CommandExit
 */
export function readChange<Wish>(
  invocation: Invocation,
  options: ParsedOptions,
  wishes: { parse: (text: string) => Wish; copy: (model: FileStatus) => Wish },
): { operands: readonly string[]; wish: Wish } {
  const reference = options.value("reference");
  const [text, ...rest] = options.operands;
  if (text === undefined) throw new UsageError("missing operand");
  if (reference !== undefined) {
    const model = invocation.attempt("failed to get attributes of", reference, (files, path, credentials) =>
      files.status(path, credentials),
    );
    return { operands: options.operands, wish: wishes.copy(model) };
  }
  if (rest.length === 0) throw new UsageError(`missing operand after ${quoteWord(text)}`);
  return { operands: rest, wish: wishes.parse(text) };
}

/** Changes files, and with `-R` all below them. */
export async function changeAttributes(
  invocation: Invocation,
  options: ParsedOptions,
  operands: readonly string[],
  change: AttributeChange,
): Promise<void> {
  const isSilent = { isSilent: options.has("f", "quiet") };

  const changeOne = async (operand: string, status: FileStatus, isOperand: boolean): Promise<void> => {
    const report = change.apply(operand, status, isOperand && change.followsOperands);
    const isTold = options.has("v") || (options.has("c") && report?.isChanged);
    if (report && isTold) await invocation.print(`${report.text}\n`);
  };

  const changeFile = async (operand: string, status: FileStatus, isOperand: boolean): Promise<void> => {
    const own = () => changeOne(operand, status, isOperand);
    if (status.type !== "directory" || !options.has("R")) return await invocation.guard(own, isSilent);
    if (!change.isDirectoryLast) await invocation.guard(own, isSilent);
    await invocation.guard(async () => {
      const entries = invocation.attempt("cannot read directory", operand, (files, path, credentials) =>
        files.list(path, credentials),
      );
      for (const entry of entries) await changeFile(join(operand, entry.name), entry, false);
      if (change.isDirectoryLast) await own();
    }, isSilent);
  };

  for (const operand of operands) {
    await invocation.guard(async () => {
      const status = invocation.attempt("cannot access", operand, (files, path, credentials) =>
        files.status(path, credentials, { followSymlink: change.followsOperands }),
      );
      await changeFile(operand, status, true);
    }, isSilent);
  }
}
