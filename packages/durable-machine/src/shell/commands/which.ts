import { unlessRefused } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";

/** Whether the shell would run what is at a path. */
async function isProgram(invocation: Invocation, path: string): Promise<boolean> {
  const { files, credentials, context } = invocation;
  const status = unlessRefused(["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG"], () =>
    files.status(path, credentials),
  );
  if (status) return status.type === "file" && files.permits(path, credentials, 1);
  // The shell's own programs are no files of the machine.
  if (!(await context.fs.exists(path))) return false;
  const { isFile, mode } = await context.fs.stat(path);
  return isFile && (mode & 0o111) !== 0;
}

export const which: MachineCommand = {
  name: "which",
  usage: "which [-as] args",
  usageExitCode: 2,
  async run(invocation) {
    const options = invocation.options(["a", "s"]);
    const directories = (invocation.context.env.get("PATH") ?? "").split(":");
    let missing = options.operands.length === 0;
    for (const name of options.operands) {
      const candidates = name.includes("/")
        ? [name]
        : directories.map((directory) => `${directory || "."}/${name}`);
      let found = false;
      for (const candidate of candidates) {
        if (!(await isProgram(invocation, invocation.path(candidate)))) continue;
        found = true;
        if (!options.has("s")) await invocation.print(`${candidate}\n`);
        if (!options.has("a")) break;
      }
      missing ||= !found;
    }
    return missing ? 1 : 0;
  },
};
