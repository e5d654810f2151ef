import { parseOwnership } from "./chown.ts";
import { CP_OPTIONS, TreeCopy } from "./copy-tree.ts";
import { directoryName, isDirectory, readPlacements, statusOf } from "./destinations.ts";
import { Complaint, type MachineCommand } from "./invocation.ts";
import { makeDirectories } from "./make-directories.ts";
import { parseModeChange } from "./modes.ts";
import { parseOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

const OPTIONS = `c d,directory D g,group= m,mode= o,owner= p,preserve-timestamps s,strip
  t,target-directory= T,no-target-directory v,verbose`;

export const install: MachineCommand = {
  name: "install",
  usage: "install [OPTION]... SOURCE... DIRECTORY",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const { operands } = options;
    const modeText = options.value("m") ?? "755";
    const mode = parseModeChange(modeText, 0)?.(0, false);
    if (mode === undefined) return invocation.fail(`invalid mode ${quoteWord(modeText)}`);
    const group = options.has("g") ? `:${options.value("g")}` : "";
    const owner = parseOwnership((options.value("o") ?? "") + group, invocation.environment.users);
    const announcement = options.has("v") ? "install: creating directory" : undefined;

    const finish = (operand: string) =>
      invocation.attempt("cannot change ownership of", operand, (files, path, credentials) => {
        if (options.has("o", "g")) files.changeOwner(path, credentials, owner);
        files.changeMode(path, credentials, mode);
      });
    const installDirectory = async (operand: string) => {
      await makeDirectories(invocation, operand, { mode, announcement });
      finish(operand);
    };
    if (options.has("d")) {
      if (operands.length === 0) throw new UsageError("missing file operand");
      for (const operand of operands) await invocation.guard(() => installDirectory(operand));
      return;
    }

    const copyArguments = ["--remove-destination"];
    if (options.has("p")) copyArguments.push("--preserve=timestamps");
    if (options.has("v")) copyArguments.push("-v");
    const copy = new TreeCopy(invocation, parseOptions(copyArguments, CP_OPTIONS));
    const target = options.value("t");
    if (options.has("D") && target !== undefined) await makeDirectories(invocation, target, { announcement });
    for (const { source, destination } of readPlacements(invocation, options)) {
      await invocation.guard(async () => {
        if (isDirectory(invocation, source)) throw new Complaint(`omitting directory ${quoteName(source)}`);
        if (options.has("D")) await makeDirectories(invocation, directoryName(destination), { announcement });
        const before = statusOf(invocation, destination)?.inode;
        const isReplaced = before !== undefined && before !== statusOf(invocation, source)?.inode;
        if (isReplaced && options.has("v")) await invocation.print(`removed ${quoteName(destination)}\n`);
        await copy.copy({ source, destination });
        const after = statusOf(invocation, destination)?.inode;
        if (after !== undefined && after !== before) finish(destination);
      });
    }
  },
};
