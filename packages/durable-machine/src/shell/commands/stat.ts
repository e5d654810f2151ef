import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { lookUp } from "./look-up.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";
import { describeFile, formatStat, readEscapes, type StatSubject, TERSE_FORMAT } from "./stat-format.ts";

const BLOCK_BYTES = 4096;
const LONGEST_NAME = 255;

/** A file system as `stat -f` describes it, by the letters of its format. */
function fileSystemFields(invocation: Invocation, operand: string): Record<string, string> {
  const { usedBytes, quotaBytes, files } = invocation.files.usage();
  const free = String(Math.floor(Math.max(0, quotaBytes - usedBytes) / BLOCK_BYTES));
  return {
    a: free,
    b: String(Math.floor(quotaBytes / BLOCK_BYTES)),
    c: String(files + Number(free)),
    d: free,
    f: free,
    i: "0",
    l: String(LONGEST_NAME),
    n: operand,
    s: String(BLOCK_BYTES),
    S: String(BLOCK_BYTES),
    t: "0",
    T: "berth",
  };
}

function describeFileSystem(fields: Record<string, string>): string {
  return [
    `  File: "${fields.n}"`,
    `    ID: ${fields.i?.padEnd(16)} Namelen: ${fields.l?.padEnd(7)} Type: ${fields.T}`,
    `Block size: ${fields.s?.padEnd(10)} Fundamental block size: ${fields.S}`,
    `Blocks: Total: ${fields.b?.padEnd(10)} Free: ${fields.f?.padEnd(10)} Available: ${fields.a}`,
    `Inodes: Total: ${fields.c?.padEnd(10)} Free: ${fields.d}`,
    "",
  ].join("\n");
}

/** How each file is written. */
function chooseFormat(options: ParsedOptions): string | undefined {
  switch (options.last("c", "printf", "t")) {
    case "c":
      return `${options.value("c")}\n`;
    case "printf":
      return readEscapes(options.value("printf") ?? "");
    case "t":
      return TERSE_FORMAT;
    default:
      return undefined;
  }
}

async function subjectOf(
  invocation: Invocation,
  operand: string,
  followSymlink: boolean,
): Promise<StatSubject> {
  const status = await lookUp(invocation, operand, { followSymlink });
  const target =
    status.type === "symlink"
      ? invocation.files.readSymlink(invocation.path(operand), invocation.credentials)
      : undefined;
  return { users: invocation.environment.users, operand, status, target };
}

export const stat: MachineCommand = {
  name: "stat",
  usage: "stat [OPTION]... FILE...",
  async run(invocation) {
    const options = invocation.options([
      "L,dereference",
      "f,file-system",
      "c,format=",
      ",printf=",
      "t,terse",
      ",cached=",
    ]);
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const format = chooseFormat(options);
    const isFileSystem = options.has("f");
    for (const operand of options.operands) {
      try {
        const subject = await subjectOf(invocation, operand, options.has("L") || isFileSystem);
        if (isFileSystem) {
          const fields = fileSystemFields(invocation, operand);
          const text = format?.replace(/%(.)/g, (_, letter: string) =>
            letter === "%" ? "%" : (fields[letter] ?? "?"),
          );
          await invocation.print(text ?? describeFileSystem(fields));
        } else {
          await invocation.print(format === undefined ? describeFile(subject) : formatStat(format, subject));
        }
      } catch (error) {
        const what = isFileSystem ? "cannot read file system information for" : "cannot statx";
        invocation.complain(`${what} ${quoteName(operand)}: ${errorText(error)}`);
      }
    }
  },
};
