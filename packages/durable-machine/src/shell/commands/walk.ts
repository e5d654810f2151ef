import type { DirectoryEntry, FileStatus } from "../../file-system/file-system.ts";
import { join } from "./destinations.ts";
import type { Invocation } from "./invocation.ts";

/** A file in a tree, named from the operand on. */
export interface WalkedFile {
  operand: string;
  status: FileStatus;
}

/**
 * A file, and if it is a directory all below it. What cannot be listed is complained of.
 *
 * @param order whether a directory comes before what is in it, or behind, and then only where it can be listed.
 */
export async function* walkTree(
  invocation: Invocation,
  { operand, status }: WalkedFile,
  order: "before" | "behind",
): AsyncGenerator<WalkedFile> {
  await invocation.step();
  if (status.type !== "directory") {
    yield { operand, status };
    return;
  }
  if (order === "before") yield { operand, status };
  let entries: DirectoryEntry[];
  try {
    entries = invocation.files.list(invocation.path(operand), invocation.credentials);
  } catch (error) {
    return invocation.complainOf("cannot read directory", operand, error);
  }
  for (const entry of entries) {
    yield* walkTree(invocation, { operand: join(operand, entry.name), status: entry }, order);
  }
  if (order === "behind") yield { operand, status };
}
