import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";
import { humanSize, parseSize } from "./sizes.ts";
import { formatTable } from "./tables.ts";

/** What the file system is called, and its kind. */
const FILE_SYSTEM = "berth";

/** As many files as fit into what is left, by the room that the smallest takes. */
const BYTES_PER_FILE = 4096;

interface Scale {
  heading: string;
  format: (bytes: number) => string;
}

function chooseScale(options: ParsedOptions): Scale {
  const wish = options.last("h", "H", "k", "m", "B");
  if (wish === "h") return { heading: "Size", format: (bytes) => humanSize(bytes) };
  if (wish === "H") return { heading: "Size", format: (bytes) => humanSize(bytes, 1000) };
  const text = wish === "m" ? "1M" : wish === "B" ? (options.value("B") ?? "1K") : "1K";
  const unit = parseSize(/^\d/.test(text) ? text : `1${text}`);
  if (unit === undefined || unit === 0) {
    throw new UsageError(`invalid --block-size argument ${quoteWord(text)}`, { hint: false });
  }
  const name = options.has("P") && unit === 1024 ? "1024" : /^\d/.test(text) ? text : `1${text}`;
  const suffix = wish === "B" && !/^\d/.test(text) ? text : "";
  return { heading: `${name}-blocks`, format: (bytes) => Math.ceil(bytes / unit) + suffix };
}

function percent(used: number, available: number): string {
  return used + available === 0 ? "-" : `${Math.ceil((100 * used) / (used + available))}%`;
}

function tableOf(invocation: Invocation, options: ParsedOptions): string[][] {
  const { usedBytes, quotaBytes, files } = invocation.files.usage();
  const freeBytes = Math.max(0, quotaBytes - usedBytes);
  const type = options.has("T");
  const lead = (name: string, kind: string) => (type ? [name, kind] : [name]);
  if (options.has("i")) {
    const free = Math.floor(freeBytes / BYTES_PER_FILE);
    return [
      [...lead("Filesystem", "Type"), "Inodes", "IUsed", "IFree", "IUse%", "Mounted on"],
      [
        ...lead(FILE_SYSTEM, FILE_SYSTEM),
        ...[files + free, files, free].map(String),
        percent(files, free),
        "/",
      ],
    ];
  }
  const { heading, format } = chooseScale(options);
  const available = heading === "Size" ? "Avail" : "Available";
  const share = options.has("P") ? "Capacity" : "Use%";
  return [
    [...lead("Filesystem", "Type"), heading, "Used", available, share, "Mounted on"],
    [
      ...lead(FILE_SYSTEM, FILE_SYSTEM),
      ...[quotaBytes, usedBytes, freeBytes].map(format),
      percent(usedBytes, freeBytes),
      "/",
    ],
  ];
}

export const df: MachineCommand = {
  name: "df",
  usage: "df [OPTION]... [FILE]...",
  async run(invocation) {
    const options = invocation.options([
      "a,all",
      "B,block-size=",
      "h,human-readable",
      "H,si",
      "i,inodes",
      "k",
      "l,local",
      "m",
      "P,portability",
      "T,print-type",
      "t,type=",
      "x,exclude-type=",
      ",total",
    ]);
    const rows = options.operands.filter((operand) => {
      try {
        invocation.files.status(invocation.path(operand), invocation.credentials);
        return true;
      } catch (error) {
        invocation.complain(`${operand}: ${errorText(error)}`);
        return false;
      }
    });
    if (options.operands.length > 0 && rows.length === 0) return;
    const [heading = [], row = []] = tableOf(invocation, options);
    const lines = [heading, ...(rows.length === 0 ? [row] : rows.map(() => row))];
    const aligned = options.has("T") ? "<<>>>><" : "<>>>><";
    await invocation.print(formatTable(lines, aligned, [14, ...(options.has("T") ? [4] : []), 5, 5, 5, 4]));
  },
};
