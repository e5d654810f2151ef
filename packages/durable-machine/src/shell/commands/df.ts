import { errorText } from "./error-text.ts";
import type { MachineCommand } from "./invocation.ts";
import { humanSize } from "./sizes.ts";
import { formatTable } from "./tables.ts";

export const df: MachineCommand = {
  name: "df",
  async run(invocation) {
    const options = invocation.options("a,all h,human-readable k l,local P,portability T,print-type");
    const { usedBytes, quotaBytes } = invocation.files.usage();
    const freeBytes = Math.max(0, quotaBytes - usedBytes);
    const usedPercent = quotaBytes === 0 ? "-" : `${Math.ceil((100 * usedBytes) / (usedBytes + freeBytes))}%`;

    const isHuman = options.last("h", "k") === "h";
    const size = (bytes: number) => (isHuman ? humanSize(bytes) : String(Math.ceil(bytes / 1024)));
    const blocks = options.has("P") ? "1024-blocks" : "1K-blocks";
    const sizes = isHuman ? ["Size", "Used", "Avail"] : [blocks, "Used", "Available"];
    const { machineName } = invocation.environment;
    const row = [machineName, size(quotaBytes), size(usedBytes), size(freeBytes), usedPercent, "/"];
    const rows = [["Filesystem", ...sizes, options.has("P") ? "Capacity" : "Use%", "Mounted on"]];

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
    const withType = rows.map((each, index) => each.toSpliced(1, 0, index === 0 ? "Type" : machineName));
    const table = options.has("T") ? withType : rows;
    await invocation.print(formatTable(table, options.has("T") ? "<<>>>><" : "<>>>><", [14, 5, 5, 5, 4]));
  },
};
