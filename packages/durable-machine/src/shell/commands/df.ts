import { errorText } from "./error-text.ts";
import type { MachineCommand } from "./invocation.ts";
import { humanSize } from "./sizes.ts";
import { formatTable } from "./tables.ts";

/** The space that the smallest file takes: the number of free files is what is left divided by it. */
const BYTES_PER_FILE = 4096;

function percent(used: number, free: number): string {
  return used + free === 0 ? "-" : `${Math.ceil((100 * used) / (used + free))}%`;
}

export const df: MachineCommand = {
  name: "df",
  usage: "df [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options(
      "a,all h,human-readable i,inodes k l,local m P,portability T,print-type",
    );
    const { usedBytes, quotaBytes, files } = invocation.files.usage();
    const freeBytes = Math.max(0, quotaBytes - usedBytes);
    const freeFiles = Math.floor(freeBytes / BYTES_PER_FILE);

    const unit = options.last("h", "k", "m");
    const unitBytes = unit === "m" ? 2 ** 20 : 1024;
    const size = (bytes: number) => (unit === "h" ? humanSize(bytes) : String(Math.ceil(bytes / unitBytes)));
    const blocks = unit === "m" ? "1M-blocks" : options.has("P") ? "1024-blocks" : "1K-blocks";
    const percentage = options.has("P") ? "Capacity" : "Use%";
    const [heading, numbers] = options.has("i")
      ? [
          ["Inodes", "IUsed", "IFree", "IUse%"],
          [String(files + freeFiles), String(files), String(freeFiles), percent(files, freeFiles)],
        ]
      : [
          unit === "h" ? ["Size", "Used", "Avail", percentage] : [blocks, "Used", "Available", percentage],
          [size(quotaBytes), size(usedBytes), size(freeBytes), percent(usedBytes, freeBytes)],
        ];
    const { machineName } = invocation.environment;
    const hasType = options.has("T");
    const row = [machineName, ...(hasType ? [machineName] : []), ...numbers, "/"];
    const rows = [["Filesystem", ...(hasType ? ["Type"] : []), ...heading, "Mounted on"]];

    for (const operand of options.operands) {
      try {
        invocation.files.status(invocation.path(operand), invocation.credentials);
        rows.push(row);
      } catch (error) {
        invocation.complain(`${operand}: ${errorText(error)}`);
      }
    }
    if (options.operands.length === 0) rows.push(row);
    if (rows.length === 1) return;
    await invocation.print(formatTable(rows, hasType ? "<<>>>><" : "<>>>><", [14]));
  },
};
