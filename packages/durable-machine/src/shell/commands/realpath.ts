import { canonicalPath, type Existence, normalize } from "./canonical-path.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { relativePath } from "./ln.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

const EXISTENCE_BY_OPTION: Record<string, Existence> = { e: "all", f: "parents", m: "nothing" };

/** Prints what `resolve` makes of each operand. */
async function printAll(
  invocation: Invocation,
  options: ParsedOptions,
  { resolve, complains }: { resolve: (operand: string) => string; complains: boolean },
): Promise<void> {
  const { operands } = options;
  if (operands.length === 0) throw new UsageError("missing operand");
  // Only of a single one the end is left out.
  const end = options.has("n") && operands.length === 1 ? "" : options.has("z") ? "\0" : "\n";
  for (const operand of operands) {
    try {
      await invocation.print(resolve(operand) + end);
    } catch (error) {
      const text = errorText(error);
      if (complains) invocation.complain(`${operand === "" ? "''" : operand}: ${text}`);
      else invocation.failSilently();
    }
  }
}

export const readlink: MachineCommand = {
  name: "readlink",
  usage: "readlink [OPTION]... FILE...",
  async run(invocation) {
    const canonical = ["f,canonicalize", "e,canonicalize-existing", "m,canonicalize-missing"];
    const options = invocation.options([
      ...canonical,
      "n,no-newline",
      "q,quiet",
      "s,silent",
      "v,verbose",
      "z,zero",
    ]);
    const existence = EXISTENCE_BY_OPTION[options.last("f", "e", "m") ?? ""];
    const { files, credentials } = invocation;
    const resolve = (operand: string) => {
      const path = invocation.path(operand);
      return existence ? canonicalPath(invocation, path, existence) : files.readSymlink(path, credentials);
    };
    await printAll(invocation, options, { resolve, complains: options.last("v", "q", "s") === "v" });
  },
};

export const realpath: MachineCommand = {
  name: "realpath",
  usage: "realpath [OPTION]... FILE...",
  async run(invocation) {
    const canonical = ["e,canonicalize-existing", "m,canonicalize-missing", "s,strip", ",no-symlinks"];
    const relative = [",relative-to=", ",relative-base="];
    const options = invocation.options([...canonical, ...relative, "L", "P,physical", "q,quiet", "z,zero"]);
    const existence = EXISTENCE_BY_OPTION[options.last("e", "m") ?? "f"] ?? "parents";
    const base = options.value("relative-base");
    const origin = options.value("relative-to") ?? base;
    const canonicalize = (operand: string) => {
      const path = invocation.path(operand);
      return options.has("s", "no-symlinks") ? normalize(path) : canonicalPath(invocation, path, existence);
    };
    const resolve = (operand: string) => {
      const path = canonicalize(operand);
      const isOutside = base !== undefined && !`${path}/`.startsWith(`${canonicalize(base)}/`);
      return origin === undefined || isOutside ? path : relativePath(canonicalize(origin), path);
    };
    await printAll(invocation, options, { resolve, complains: !options.has("q") });
  },
};
