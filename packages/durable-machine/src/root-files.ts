import { FileError, unlessRefused } from "./file-system/file-error.ts";
import type { FileSystem } from "./file-system/file-system.ts";
import { parentPath } from "./file-system/path.ts";
import type { MachineFiles } from "./machine.ts";
import { ROOT } from "./users.ts";

export function rootFiles(files: FileSystem): MachineFiles {
  return {
    status: async (path, options) => files.status(path, ROOT, options),
    list: async (path) => files.list(path, ROOT),
    resolve: async (path) => files.resolve(path, ROOT),
    readSymlink: async (path) => files.readSymlink(path, ROOT),
    read: async (path) => files.read(path, ROOT),
    readRange: async (path, offset, length) => files.readRange(path, ROOT, offset, length),
    write: async (path, body, options) => {
      await files.write(path, body, ROOT, options);
    },
    writeSmall: async (path, bytes, options) => files.writeSmall(path, bytes, ROOT, options),
    makeDirectory: async (path, options) => files.makeDirectory(path, ROOT, options),
    rename: async (source, destination, { replace = true } = {}) => {
      const readStatus = () => files.status(destination, ROOT, { followSymlink: false });
      if (!replace && unlessRefused(["ENOENT"], readStatus)) {
        throw new FileError("EEXIST", "rename", destination);
      }
      files.rename(source, destination, ROOT);
    },
    place: async (moves) => {
      files.atomically(() => {
        for (const { source, destination } of moves) place(files, source, destination);
      });
    },
    link: async (existing, path) => files.link(existing, path, ROOT),
    symlink: async (target, path) => files.symlink(target, path, ROOT),
    unlink: async (path) => files.unlink(path, ROOT),
    removeTree: async (path) => {
      const { type } = files.status(path, ROOT, { followSymlink: false });
      if (type !== "directory") throw new FileError("ENOTDIR", "rm", path);
      await files.removeTree(path, ROOT);
    },
    changeMode: async (path, mode) => files.changeMode(path, ROOT, mode),
    changeOwner: async (path, owner) => files.changeOwner(path, ROOT, owner),
    setTimes: async (path, times) => files.setTimes(path, ROOT, times),
    usage: async () => files.usage(),
    watch: async (path, listener) => {
      const root = files.resolve(path, ROOT);
      const prefix = root === "/" ? "/" : `${root}/`;
      return files.watch((change) => {
        if (change.path === root || change.path.startsWith(prefix)) listener(change);
      });
    },
  };
}

function place(files: FileSystem, source: string, destination: string): void {
  if (!files.exists(destination, ROOT)) {
    files.makeDirectory(parentPath(destination), ROOT, { parents: true });
    files.rename(source, destination, ROOT);
    return;
  }
  const path = files.resolve(destination, ROOT);
  const { type, uid, gid, mode } = files.status(path, ROOT);
  if (type === "directory") throw new FileError("EISDIR", "rename", destination);
  files.changeOwner(source, ROOT, { uid, gid });
  files.changeMode(source, ROOT, mode);
  files.rename(source, path, ROOT);
}
