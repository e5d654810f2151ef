import type { FileStatus } from "../../file-system/file-system.ts";
import { join } from "./destinations.ts";
import type { Invocation } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

/** How `chmod` and `chown` change the files that they are given. */
export interface AttributeChange {
  /** Whether a symlink on the command line stands for its target. */
  followsOperands: boolean;
  /** @returns what `-v` reports; undefined: nothing. @throws Complaint */
  apply(
    operand: string,
    status: FileStatus,
    followSymlink: boolean,
  ): { isChanged: boolean; text: string } | undefined;
}

export const CHANGE_OPTIONS =
  "c,changes f,silent ,quiet v,verbose R,recursive ,preserve-root ,no-preserve-root";

/** Takes `VALUE FILE...` apart. @throws UsageError */
export function readChange({ operands }: ParsedOptions): { value: string; operands: readonly string[] } {
  const [value, ...files] = operands;
  if (value === undefined) throw new UsageError("missing operand");
  if (files.length === 0) throw new UsageError(`missing operand after ${quoteWord(value)}`);
  return { value, operands: files };
}

/** Changes files, and with `-R` everything below them. */
export async function changeAttributes(
  invocation: Invocation,
  options: ParsedOptions,
  operands: readonly string[],
  change: AttributeChange,
): Promise<void> {
  const isSilent = { isSilent: options.has("f", "quiet") };

  const changeOne = async (operand: string, status: FileStatus, isOperand: boolean): Promise<void> => {
    const report = change.apply(operand, status, isOperand && change.followsOperands);
    const isReported = options.has("v") || (options.has("c") && report?.isChanged);
    if (report && isReported) await invocation.print(`${report.text}\n`);
  };

  const changeTree = async (operand: string, status: FileStatus, isOperand: boolean): Promise<void> => {
    await invocation.guard(() => changeOne(operand, status, isOperand), isSilent);
    if (status.type !== "directory" || !options.has("R")) return;
    await invocation.guard(async () => {
      const entries = invocation.attempt("cannot read directory", operand, (files, path, credentials) =>
        files.list(path, credentials),
      );
      for (const entry of entries) await changeTree(join(operand, entry.name), entry, false);
    }, isSilent);
  };

  for (const operand of operands) {
    await invocation.guard(async () => {
      const status = invocation.attempt("cannot access", operand, (files, path, credentials) =>
        files.status(path, credentials, { followSymlink: change.followsOperands }),
      );
      await changeTree(operand, status, true);
    }, isSilent);
  }
}
