import { directoryName, statusOf } from "./destinations.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { readModeChange } from "./modes.ts";
import { UsageError } from "./options.ts";
import { quoteName } from "./quoting.ts";

interface DirectoryOptions {
  /** Permission bits of the last one, whatever the umask. Default: what the umask leaves. */
  mode?: number | undefined;
  isVerbose: boolean;
}

async function makeOne(invocation: Invocation, operand: string, options: DirectoryOptions): Promise<void> {
  const { mode, isVerbose } = options;
  invocation.attempt("cannot create directory", operand, (files, path, credentials) => {
    files.makeDirectory(path, credentials);
    if (mode !== undefined) files.changeMode(path, credentials, mode);
  });
  if (isVerbose) await invocation.print(`${invocation.name}: created directory ${quoteName(operand)}\n`);
}

/** Makes a directory and what is missing above it. */
export async function makeDirectories(invocation: Invocation, operand: string, options: DirectoryOptions) {
  for (const { index, 0: name } of operand.matchAll(/[^/]+(?:\/+$)?/g)) {
    const directory = operand.slice(0, index + name.length);
    await invocation.step(1 + directory.length / 100);
    const isLast = directory === operand;
    const existing = statusOf(invocation, directory);
    if (existing === undefined || (isLast && existing.type !== "directory")) {
      await makeOne(invocation, directory, isLast ? options : { isVerbose: options.isVerbose });
    }
  }
}

export const mkdir: MachineCommand = {
  name: "mkdir",
  async run(invocation) {
    const options = invocation.options("m,mode= p,parents v,verbose");
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const modeText = options.value("m");
    const { umask } = invocation.credentials;
    const mode = modeText === undefined ? undefined : readModeChange(modeText, umask)(0o777, true);
    for (const operand of options.operands) {
      const isDeep = options.has("p") && operand !== "";
      const make = isDeep ? makeDirectories : makeOne;
      await invocation.guard(() => make(invocation, operand, { mode, isVerbose: options.has("v") }));
    }
  },
};

export const rmdir: MachineCommand = {
  name: "rmdir",
  async run(invocation) {
    const options = invocation.options("p,parents v,verbose");
    if (options.operands.length === 0) throw new UsageError("missing operand");
    const remove = async (operand: string, failure: string): Promise<void> => {
      if (options.has("v")) await invocation.print(`rmdir: removing directory, ${quoteName(operand)}\n`);
      invocation.attempt(failure, operand, (files, path, credentials) =>
        files.removeDirectory(path, credentials),
      );
      const above = directoryName(operand);
      const goesOn = options.has("p") && operand.includes("/") && above !== "/";
      if (goesOn) await remove(above, "failed to remove directory");
    };
    for (const operand of options.operands) {
      await invocation.guard(() => remove(operand.replace(/(?<!\/)\/+$/, "") || operand, "failed to remove"));
    }
  },
};
