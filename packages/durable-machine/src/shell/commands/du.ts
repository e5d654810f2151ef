import { join } from "./destinations.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { humanSize } from "./sizes.ts";
import { occupiedBytes } from "./stat.ts";

const OPTIONS =
  "a,all b,bytes c,total d,max-depth= h,human-readable k m s,summarize x,one-file-system ,apparent-size";

interface Report {
  /** In bytes. */
  sizeOf: (status: Parameters<typeof occupiedBytes>[0]) => number;
  format: (bytes: number) => string;
  showsFiles: boolean;
  maxDepth: number;
  /** Of what was counted: each file counts once. */
  inodes: Set<number>;
}

/** Prints what is at most `maxDepth` levels deep. @returns bytes. */
async function measure(
  invocation: Invocation,
  operand: string,
  report: Report,
  depth: number,
): Promise<number> {
  await invocation.step(4);
  const status = invocation.attempt("cannot access", operand, (files, path, credentials) =>
    files.status(path, credentials, { followSymlink: false }),
  );
  if (report.inodes.has(status.inode)) return 0;
  report.inodes.add(status.inode);
  let bytes = report.sizeOf(status);
  if (status.type === "directory") {
    await invocation.guard(async () => {
      const entries = invocation.attempt("cannot read directory", operand, (files, path, credentials) =>
        files.list(path, credentials),
      );
      for (const { name } of entries) {
        bytes += await measure(invocation, join(operand, name), report, depth + 1);
      }
    });
  }
  const isShown = depth === 0 || status.type === "directory" || report.showsFiles;
  if (isShown && depth <= report.maxDepth) await invocation.print(`${report.format(bytes)}\t${operand}\n`);
  return bytes;
}

export const du: MachineCommand = {
  name: "du",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const depthText = options.value("d");
    if (depthText !== undefined && !/^\d{1,9}$/.test(depthText)) {
      throw new UsageError(`invalid maximum depth ${quoteWord(depthText)}`);
    }
    if (options.has("s") && options.has("a")) {
      throw new UsageError("cannot both summarize and show all entries");
    }
    const unit = options.has("b") ? 1 : options.has("m") ? 1024 ** 2 : 1024;
    const report: Report = {
      sizeOf: options.has("b", "apparent-size") ? ({ size }) => size : occupiedBytes,
      format: options.has("h") ? (bytes) => humanSize(bytes) : (bytes) => String(Math.ceil(bytes / unit)),
      showsFiles: options.has("a"),
      maxDepth: options.has("s") ? 0 : Number(depthText ?? Number.POSITIVE_INFINITY),
      inodes: new Set(),
    };
    let total = 0;
    const operands = options.operands.length === 0 ? ["."] : options.operands;
    for (const operand of operands) {
      await invocation.guard(async () => {
        total += await measure(invocation, operand, report, 0);
      });
    }
    if (options.has("c")) await invocation.print(`${report.format(total)}\ttotal\n`);
  },
};
