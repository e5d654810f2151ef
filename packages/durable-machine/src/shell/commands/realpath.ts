import { FileError, unlessRefused } from "../../file-system/file-error.ts";
import { joinPath } from "../paths.ts";
import { baseName, directoryName, join } from "./destinations.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

/** How much of a path must exist: all, all but the last part, nothing. */
type Existence = "all" | "parents" | "nothing";

/** The way from a directory to a path, both absolute and without symlinks. */
export function relativePath(directory: string, path: string): string {
  const from = directory.split("/").filter((part) => part !== "");
  const to = path.split("/").filter((part) => part !== "");
  let common = 0;
  while (common < from.length && common < to.length && from[common] === to[common]) common++;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/") || ".";
}

/** The path of a file that may be missing, without symlinks, `.` and `..`. @throws FileError */
export function canonicalPath(invocation: Invocation, path: string, existence: Existence): string {
  const { files, credentials } = invocation;
  const missing = existence === "nothing" ? (["ENOENT", "ENOTDIR"] as const) : (["ENOENT"] as const);
  const found = unlessRefused(missing, () => files.resolve(path, credentials));
  if (found !== undefined) return found;
  if (existence === "all") throw new FileError("ENOENT", "realpath", path);
  const above = directoryName(path);
  const target = unlessRefused(["ENOENT", "ENOTDIR", "EINVAL"], () =>
    files.readSymlink(path.replace(/(?<!\/)\/+$/, ""), credentials),
  );
  // A loop of symlinks has been refused above.
  if (target !== undefined)
    return canonicalPath(invocation, target.startsWith("/") ? target : join(above, target), existence);
  const parent = canonicalPath(invocation, above, existence === "parents" ? "all" : existence);
  return joinPath(parent, baseName(path));
}

const EXISTENCE_BY_OPTION: Record<string, Existence> = { e: "all", f: "parents", m: "nothing" };

async function printAll(
  invocation: Invocation,
  options: ParsedOptions,
  { resolve, isSilent }: { resolve: (operand: string) => string; isSilent: boolean },
): Promise<void> {
  const { operands } = options;
  if (operands.length === 0) throw new UsageError("missing operand");
  const end = options.has("n") && operands.length === 1 ? "" : options.has("z") ? "\0" : "\n";
  for (const operand of operands) {
    try {
      await invocation.print(resolve(operand) + end);
    } catch (error) {
      const text = errorText(error);
      if (isSilent) invocation.hasComplained = true;
      else invocation.complain(`${operand === "" ? "''" : operand}: ${text}`);
    }
  }
}

export const readlink: MachineCommand = {
  name: "readlink",
  async run(invocation) {
    const options = invocation.options(
      "f,canonicalize e,canonicalize-existing m,canonicalize-missing n,no-newline q,quiet s,silent v,verbose z,zero",
    );
    const existence = EXISTENCE_BY_OPTION[options.last("f", "e", "m") ?? ""];
    const { files, credentials } = invocation;
    const resolve = (operand: string) => {
      const path = invocation.path(operand);
      return existence ? canonicalPath(invocation, path, existence) : files.readSymlink(path, credentials);
    };
    await printAll(invocation, options, { resolve, isSilent: !options.has("v") });
  },
};

export const realpath: MachineCommand = {
  name: "realpath",
  async run(invocation) {
    const options = invocation.options(
      "e,canonicalize-existing m,canonicalize-missing s,no-symlinks ,strip ,relative-to= q,quiet z,zero",
    );
    const existence = EXISTENCE_BY_OPTION[options.last("e", "m") ?? "f"] ?? "parents";
    const canonicalize = (operand: string) => {
      const path = invocation.path(operand);
      return options.has("s", "strip") ? joinPath("/", path) : canonicalPath(invocation, path, existence);
    };
    const origin = options.value("relative-to");
    const resolve = (operand: string) => {
      const path = canonicalize(operand);
      return origin === undefined ? path : relativePath(canonicalize(origin), path);
    };
    await printAll(invocation, options, { resolve, isSilent: options.has("q") });
  },
};
