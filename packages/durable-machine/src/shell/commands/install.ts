import { parseOwnership } from "./attributes.ts";
import { CP_OPTIONS, TreeCopy } from "./cp.ts";
import { directoryName, isDirectory, placementsOf } from "./destinations.ts";
import { Complaint, type MachineCommand } from "./invocation.ts";
import { makeDirectories } from "./make-directories.ts";
import { readModeChange } from "./modes.ts";
import { parseOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

const OPTIONS = `c d,directory D g,group= m,mode= o,owner= p,preserve-timestamps s,strip
  t,target-directory= T,no-target-directory v,verbose`;

export const install: MachineCommand = {
  name: "install",
  usage: "install [OPTION]... SOURCE... DIRECTORY",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const mode = readModeChange(options.value("m") ?? "755", 0)(0, false);
    const group = options.has("g") ? `:${options.value("g")}` : "";
    const owner = parseOwnership((options.value("o") ?? "") + group, invocation.environment.users);
    const copyArguments = ["--remove-destination"];
    if (options.has("p")) copyArguments.push("--preserve=timestamps");
    if (options.has("v")) copyArguments.push("-v");
    const copy = new TreeCopy(invocation, parseOptions(copyArguments, CP_OPTIONS));

    const makeParents = (operand: string) =>
      makeDirectories(invocation, operand, { isVerbose: options.has("v") });
    const installFile = async (operand: string, make: () => Promise<void>) => {
      await invocation.guard(async () => {
        await make();
        invocation.attempt("cannot change ownership of", operand, (files, path, credentials) => {
          if (options.has("o", "g")) files.changeOwner(path, credentials, owner);
          files.changeMode(path, credentials, mode);
        });
      });
    };
    if (options.has("d")) {
      for (const operand of options.operands) await installFile(operand, () => makeParents(operand));
      return;
    }
    const target = options.value("t");
    if (options.has("D") && target !== undefined) await makeParents(target);
    for (const placement of placementsOf(invocation, options)) {
      const { source, destination } = placement;
      await installFile(destination, async () => {
        if (isDirectory(invocation, source)) throw new Complaint(`omitting directory ${quoteName(source)}`);
        if (options.has("D")) await makeParents(directoryName(destination));
        await copy.copy(placement);
      });
    }
  },
};
