import { canonicalPath, type Existence, normalize } from "./canonical-path.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { relativePath } from "./ln.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

/** Prints what `resolve` makes of each operand. */
async function printAll(
  invocation: Invocation,
  options: ParsedOptions,
  { resolve, complains }: { resolve: (operand: string) => string; complains: boolean },
): Promise<void> {
  const { operands } = options;
  if (operands.length === 0) throw new UsageError("missing operand");
  const end = options.has("z") ? "\0" : "\n";
  // Only of a single one the end is left out.
  const lastEnd = options.has("n") && operands.length === 1 ? "" : end;
  for (const operand of operands) {
    try {
      await invocation.print(resolve(operand) + lastEnd);
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
    const options = invocation.options([
      "f,canonicalize",
      "e,canonicalize-existing",
      "m,canonicalize-missing",
      "n,no-newline",
      "q,quiet",
      "s,silent",
      "v,verbose",
      "z,zero",
    ]);
    const wish = options.last("f", "e", "m");
    const existence: Existence | undefined =
      wish === "e" ? "all" : wish === "m" ? "nothing" : wish === "f" ? "parents" : undefined;
    const resolve = (operand: string) =>
      existence === undefined
        ? invocation.files.readSymlink(invocation.path(operand), invocation.credentials)
        : canonicalPath(invocation, invocation.path(operand), existence);
    await printAll(invocation, options, { resolve, complains: options.last("v", "q", "s") === "v" });
  },
};

export const realpath: MachineCommand = {
  name: "realpath",
  usage: "realpath [OPTION]... FILE...",
  async run(invocation) {
    const options = invocation.options([
      "e,canonicalize-existing",
      "m,canonicalize-missing",
      "L,logical",
      "P,physical",
      "q,quiet",
      ",relative-to=",
      ",relative-base=",
      "s,strip",
      ",no-symlinks",
      "z,zero",
    ]);
    const wish = options.last("e", "m");
    const existence: Existence = wish === "e" ? "all" : wish === "m" ? "nothing" : "parents";
    const resolve = (operand: string) => {
      const path = invocation.path(operand);
      return options.has("s", "no-symlinks") ? normalize(path) : canonicalPath(invocation, path, existence);
    };
    const base = options.value("relative-base");
    const origin = options.value("relative-to") ?? base;
    const relative = (operand: string) => {
      const path = resolve(operand);
      const isOutside = base !== undefined && !`${path}/`.startsWith(`${resolve(base)}/`);
      return origin === undefined || isOutside ? path : relativePath(resolve(origin), path);
    };
    await printAll(invocation, options, { resolve: relative, complains: !options.has("q") });
  },
};
