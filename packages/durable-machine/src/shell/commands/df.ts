import { errorText } from "./error-text.ts";
import type { MachineCommand } from "./invocation.ts";
import { humanSize } from "./sizes.ts";
import { formatTable } from "./tables.ts";

/** As many files as fit into what is left, by the room that the smallest takes. */
const BYTES_PER_FILE = 4096;

function percent(used: number, free: number): string {
  return used + free === 0 ? "-" : `${Math.ceil((100 * used) / (used + free))}%`;
}

export const df: MachineCommand = {
  name: "df",
  usage: "df [OPTION]... [FILE]...",
  async run(invocation) {
    const patterns = "a,all h,human-readable i,inodes k l,local m P,portability T,print-type";
    const options = invocation.options(patterns.split(" "));
    const { usedBytes, quotaBytes, files } = invocation.files.usage();
    const freeBytes = Math.max(0, quotaBytes - usedBytes);
    const freeFiles = Math.floor(freeBytes / BYTES_PER_FILE);

    const unit = options.last("h", "k", "m");
    const isHuman = unit === "h";
    const unitBytes = unit === "m" ? 2 ** 20 : 1024;
    const size = (bytes: number) => (isHuman ? humanSize(bytes) : String(Math.ceil(bytes / unitBytes)));
    const blocks = unit === "m" ? "1M-blocks" : options.has("P") ? "1024-blocks" : "1K-blocks";
    const space = [
      isHuman ? "Size" : blocks,
      "Used",
      isHuman ? "Avail" : "Available",
      options.has("P") ? "Capacity" : "Use%",
    ];
    const isInodes = options.has("i");
    const kind = options.has("T");
    const heading = isInodes ? ["Inodes", "IUsed", "IFree", "IUse%"] : space;
    const numbers = isInodes
      ? [String(files + freeFiles), String(files), String(freeFiles), percent(files, freeFiles)]
      : [size(quotaBytes), size(usedBytes), size(freeBytes), percent(usedBytes, freeBytes)];
    const { machineName } = invocation.environment;
    const row = [machineName, ...(kind ? [machineName] : []), ...numbers, "/"];
    const rows = [["Filesystem", ...(kind ? ["Type"] : []), ...heading, "Mounted on"]];

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
    await invocation.print(
      formatTable(rows, kind ? "<<>>>><" : "<>>>><", [14, ...(kind ? [4] : []), 5, 5, 5, 4]),
    );
  },
};
