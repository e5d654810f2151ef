import {
  keepsExisting,
  liesInside,
  type Placement,
  placementsOf,
  requireSameKind,
  sameFile,
  statusOf,
} from "./destinations.ts";
import { Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

const OPTIONS =
  "f,force i,interactive n,no-clobber t,target-directory= T,no-target-directory u,update v,verbose";

async function move(invocation: Invocation, placement: Placement, options: ParsedOptions): Promise<void> {
  const { source, destination } = placement;
  const [from, to] = [quoteName(source), quoteName(destination)];
  const status = invocation.attempt("cannot stat", source, (files, path, credentials) =>
    files.status(path, credentials, { followSymlink: source.endsWith("/") }),
  );
  const existing = statusOf(invocation, destination, { followSymlink: false });
  if (existing !== undefined) {
    if (existing.inode === status.inode) throw sameFile(placement);
    if (await keepsExisting(invocation, options, { destination, status, existing })) return;
    requireSameKind(placement, status, existing);
  }
  if (status.type === "directory" && liesInside(invocation, destination, status)) {
    throw new Complaint(`cannot move ${from} to a subdirectory of itself, ${to}`);
  }
  invocation.attempt(`cannot move ${from} to`, destination, (files, path, credentials) =>
    files.rename(invocation.path(source), path, credentials),
  );
  if (options.has("v")) await invocation.print(`renamed ${from} -> ${to}\n`);
}

export const mv: MachineCommand = {
  name: "mv",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    for (const placement of placementsOf(invocation, options)) {
      await invocation.guard(() => move(invocation, placement, options));
    }
  },
};
