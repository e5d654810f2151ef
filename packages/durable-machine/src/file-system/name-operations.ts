import type { Credentials } from "../users.ts";
import type { Inode } from "./inodes.ts";
import { parsePath, requireName } from "./path.ts";
import type { PathWalk, Place } from "./path-walk.ts";
import { EXECUTE, mayLink, ownershipOfNew, permits, refusalToRemove, WRITE } from "./permissions.ts";
import { Refusal } from "./refusal.ts";
import type { Volume } from "./volume.ts";

/** As many names a file may have, as on ext4. */
const MOST_LINKS = 65_000;

/** Permission bits, before the umask, of directories made on the way to another. */
const PARENT_MODE = 0o777;

/** A place that ends in a name which something has. */
export type TakenPlace = Place & { inode: Inode };

/** The operations on names, as Linux does them: in which order it looks for what forbids one is part of that. */
export class NameOperations {
  readonly #volume: Volume;
  readonly #paths: PathWalk;

  constructor(volume: Volume, paths: PathWalk) {
    this.#volume = volume;
    this.#paths = paths;
  }

  makeDirectory(path: string, credentials: Credentials, mode: number): void {
    const place = this.#placeForNew(path, credentials, { mayEndInSlash: true });
    this.create(place, { type: "directory", mode }, credentials);
  }

  /** Makes a directory unless it is there, and what is missing above it. */
  makeDirectories(path: string, credentials: Credentials, mode: number): void {
    const { inode } = this.#paths.walk(path, credentials, {
      followLast: true,
      makeDirectory: (place, isLast) =>
        this.create(place, { type: "directory", mode: isLast ? mode : PARENT_MODE }, credentials),
    });
    if (inode?.type !== "directory") throw new Refusal("EEXIST");
  }

  removeDirectory(path: string, credentials: Credentials): void {
    const place = this.placeToRemove(path, credentials);
    requireRemovable(place, credentials);
    if (place.inode.type !== "directory") throw new Refusal("ENOTDIR");
    if (!this.#volume.inodes.isEmpty(place.inode.inode)) throw new Refusal("ENOTEMPTY");
    this.remove(place);
  }

  unlink(path: string, credentials: Credentials): void {
    const place = this.#paths.walk(path, credentials, { followLast: false });
    if (place.last !== "name") throw new Refusal("EISDIR");
    const taken = requireTaken(place);
    const isDirectory = taken.inode.type === "directory";
    if (place.hasTrailingSlash) throw new Refusal(isDirectory ? "EISDIR" : "ENOTDIR");
    requireRemovable(taken, credentials);
    if (isDirectory) throw new Refusal("EISDIR");
    this.remove(taken);
  }

  link(existing: string, path: string, credentials: Credentials): void {
    const { inode } = this.#paths.find(existing, credentials, false);
    const place = this.#placeForNew(path, credentials, { mayEndInSlash: false });
    if (!mayLink(inode, credentials)) throw new Refusal("EPERM");
    requireWritable(place.directory, credentials);
    if (inode.type === "directory") throw new Refusal("EPERM");
    if (inode.links >= MOST_LINKS) throw new Refusal("EMLINK");
    this.#volume.link(place.directory, place.name, inode);
    this.#volume.tell("create", place.path, false);
  }

  symlink(target: string, path: string, credentials: Credentials): void {
    parsePath(target);
    const place = this.#placeForNew(path, credentials, { mayEndInSlash: false });
    this.create(place, { type: "symlink", mode: 0o777, target: target.toWellFormed() }, credentials);
  }

  rename(sourcePath: string, destinationPath: string, credentials: Credentials): void {
    const source = this.#paths.walk(sourcePath, credentials, { followLast: false });
    const destination = this.#paths.walk(destinationPath, credentials, { followLast: false });
    if (source.last !== "name" || destination.last !== "name") throw new Refusal("EBUSY");
    const { inode, directory } = requireTaken(source);
    requireName(destination.name);
    const isDirectory = inode.type === "directory";
    const hasSlash = source.hasTrailingSlash || destination.hasTrailingSlash;
    if (!isDirectory && hasSlash) throw new Refusal("ENOTDIR");
    if (destination.lineage.includes(inode.inode)) throw new Refusal("EINVAL");
    const replaced = destination.inode;
    if (replaced !== undefined && source.lineage.includes(replaced.inode)) throw new Refusal("ENOTEMPTY");
    if (replaced?.inode === inode.inode) return;

    requireRemovable({ directory, inode }, credentials);
    if (replaced === undefined) requireWritable(destination.directory, credentials);
    else this.#requireReplaceable(destination.directory, replaced, inode, credentials);
    const isElsewhere = directory.inode !== destination.directory.inode;
    if (isDirectory && isElsewhere && !permits(inode, credentials, WRITE)) throw new Refusal("EACCES");

    if (replaced !== undefined) this.#volume.unlink(destination.directory.inode, destination.name, replaced);
    this.#volume.move(source, destination, inode);
    this.#volume.tell("rename", source.path, isDirectory);
    this.#volume.tell("create", destination.path, isDirectory);
  }

  /** Makes something under a free name. @throws Refusal EACCES, ENOSPC */
  create(
    place: Place,
    file: { type: Inode["type"]; mode: number; target?: string },
    credentials: Credentials,
  ): Inode {
    requireWritable(place.directory, credentials);
    const ownership = ownershipOfNew(place.directory, file, credentials);
    const inode = this.#volume.create(place.directory, place.name, { ...file, ...ownership });
    this.#volume.tell("create", place.path, file.type === "directory");
    return inode;
  }

  /** Where something is that may be a directory to be removed. */
  placeToRemove(path: string, credentials: Credentials): TakenPlace {
    const place = this.#paths.walk(path, credentials, { followLast: false });
    if (place.last === "dot") throw new Refusal("EINVAL");
    if (place.last === "dotdot") throw new Refusal("ENOTEMPTY");
    if (place.last === "root") throw new Refusal("EBUSY");
    return requireTaken(place);
  }

  /** Removes a name that may be removed. */
  remove({ directory, name, inode, path }: TakenPlace): void {
    this.#volume.unlink(directory.inode, name, inode);
    this.#volume.tell("delete", path, inode.type === "directory");
  }

  #placeForNew(path: string, credentials: Credentials, { mayEndInSlash }: { mayEndInSlash: boolean }): Place {
    const place = this.#paths.walk(path, credentials, { followLast: false });
    if (place.last !== "name" || place.inode !== undefined) throw new Refusal("EEXIST");
    requireName(place.name);
    if (place.hasTrailingSlash && !mayEndInSlash) throw new Refusal("ENOENT");
    return place;
  }

  #requireReplaceable(directory: Inode, replaced: Inode, by: Inode, credentials: Credentials): void {
    requireRemovable({ directory, inode: replaced }, credentials);
    const isDirectory = replaced.type === "directory";
    if (by.type === "directory" && !isDirectory) throw new Refusal("ENOTDIR");
    if (by.type !== "directory" && isDirectory) throw new Refusal("EISDIR");
    if (isDirectory && !this.#volume.inodes.isEmpty(replaced.inode)) throw new Refusal("ENOTEMPTY");
  }
}

/** @throws Refusal EACCES, EPERM */
export function requireRemovable(
  { directory, inode }: { directory: Inode; inode: Inode },
  credentials: Credentials,
): void {
  const refusal = refusalToRemove(directory, inode, credentials);
  if (refusal !== undefined) throw new Refusal(refusal);
}

function requireWritable(directory: Inode, credentials: Credentials): void {
  if (!permits(directory, credentials, WRITE | EXECUTE)) throw new Refusal("EACCES");
}

function requireTaken(place: Place): TakenPlace {
  const { name, inode } = place;
  requireName(name);
  if (inode === undefined) throw new Refusal("ENOENT");
  return { ...place, inode };
}
