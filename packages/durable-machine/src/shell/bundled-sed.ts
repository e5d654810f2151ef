import type { CallFiles } from "./bundled-arguments.ts";
import { parseOptions, UsageError } from "./commands/options.ts";

/** Options in the order of their letters, as the bundled sed knows them. */
const FLAGS = ["n", "E", "i"];

const PATTERNS = [
  "n,quiet",
  ",silent",
  "E,regexp-extended",
  "r",
  "i,in-place=?",
  "e,expression=",
  "f,file=",
  "s,separate",
  "u,unbuffered",
  "l,line-length=",
  ",posix",
];

/** What a file's copy is called: the suffix follows the name, or the name takes the place of each star. */
function backupName(file: string, suffix: string): string {
  if (!suffix.includes("*")) return file + suffix;
  const slash = file.lastIndexOf("/") + 1;
  const name = suffix.replaceAll("*", () => file.slice(slash));
  return name.includes("/") ? name : file.slice(0, slash) + name;
}

/** A command line of sed as its bundled form takes it; makes the copies of `-i.bak`. @throws UsageError, FileError */
export async function mendSed(args: readonly string[], files: CallFiles): Promise<string[]> {
  const options = parseOptions(args, PATTERNS);
  const operands = [...options.operands];
  const isGiven = (flag: string) =>
    flag === "n" ? options.has("n", "silent") : flag === "E" ? options.has("E", "r") : options.has(flag);
  if (isGiven("s") && !isGiven("i") && operands.length > 2) throw new UsageError("files cannot be separated");
  const scripts = options.given.flatMap(({ key, value = "" }) =>
    key === "e" || key === "f" ? [`-${key}`, value] : [],
  );
  if (scripts.length === 0) scripts.push(...operands.splice(0, 1).flatMap((script) => ["-e", script]));
  const suffix = options.value("i");
  if (suffix !== undefined) {
    for (const file of operands) await files.copy(file, backupName(file, suffix));
  }
  return [...FLAGS.filter(isGiven).map((flag) => `-${flag}`), ...scripts, ...operands];
}
