import { CP_OPTIONS, TreeCopy } from "./copy-tree.ts";
import { readPlacements, withoutRepeated } from "./destinations.ts";
import type { MachineCommand } from "./invocation.ts";

export const cp: MachineCommand = {
  name: "cp",
  usage: "cp [OPTION]... SOURCE... DIRECTORY",
  async run(invocation) {
    const options = invocation.options(CP_OPTIONS);
    const copy = new TreeCopy(invocation, options);
    for (const placement of withoutRepeated(invocation, readPlacements(invocation, options))) {
      await copy.copy(placement);
    }
  },
};
