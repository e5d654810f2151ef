import { FileError, unlessRefused } from "../../file-system/file-error.ts";
import type { FileStatus } from "../../file-system/file-system.ts";
import { READ, WRITE } from "../../file-system/permissions.ts";
import { parseOwnership } from "./attributes.ts";
import { openSink } from "./byte-sink.ts";
import { openPath, pieces } from "./byte-source.ts";
import {
  directoryName,
  isDirectory,
  join,
  keepsExisting,
  liesInside,
  type Placement,
  placementsOf,
  requireSameKind,
  sameFile,
  statusOf,
} from "./destinations.ts";
import { Complaint, type Invocation, type MachineCommand } from "./invocation.ts";
import { makeDirectories } from "./make-directories.ts";
import { readModeChange } from "./modes.ts";
import { type ParsedOptions, parseOptions } from "./options.ts";
import { quoteName } from "./quoting.ts";

const CP_OPTIONS = `a,archive d f,force i,interactive L,dereference n,no-clobber P,no-dereference p
  ,preserve=? R,recursive r ,remove-destination ,reflink=? ,sparse= t,target-directory= T,no-target-directory
  u,update v,verbose x,one-file-system`;

/** A smaller file is copied at once, which is several times faster than in steps. */
const SMALL_FILE_BYTES = 128 * 1024;

const ATTRIBUTES = "mode,ownership,timestamps";

function preservedAttributes(options: ParsedOptions): Set<string> {
  const last = options.last("a", "p", "preserve");
  const listed = (last === "preserve" && options.value("preserve")) || ATTRIBUTES;
  return new Set(last === undefined ? [] : listed.replace("all", ATTRIBUTES).split(","));
}

type Entry = Placement & { status: FileStatus };

function isDevice(path: string): boolean {
  return path.startsWith("/dev/");
}

class TreeCopy {
  readonly #invocation: Invocation;
  readonly #options: ParsedOptions;
  readonly #followsSymlinks: boolean;
  readonly #preserved: ReadonlySet<string>;
  /** Directories that are being copied or were made: a followed symlink may lead back into them. */
  readonly #entered = new Set<number>();

  constructor(invocation: Invocation, options: ParsedOptions) {
    this.#invocation = invocation;
    this.#options = options;
    const usual = options.has("r", "R") ? "P" : "L";
    this.#followsSymlinks = (options.last("L", "P", "d", "a") ?? usual) === "L";
    this.#preserved = preservedAttributes(options);
  }

  async copy({ source, destination }: Placement, isOperand = true): Promise<void> {
    if (isDevice(source)) return await this.#copyContent({ source, destination });
    const { files, credentials } = this.#invocation;
    const status = this.#invocation.attempt("cannot stat", source, (_, path) =>
      files.status(path, credentials, { followSymlink: this.#followsSymlinks }),
    );
    if (status.type === "file" && !files.permits(this.#invocation.path(source), credentials, READ)) {
      throw new Complaint(`cannot open ${quoteName(source)} for reading: Permission denied`);
    }
    const entry = { source, destination, status };
    if (status.type === "directory") return await this.#copyDirectory(entry, isOperand);
    if (!(await this.#clearDestination(entry))) return;
    await this.#copyFile(entry);
    await this.#announce(entry);
  }

  async #announce({ source, destination }: Placement): Promise<void> {
    if (!this.#options.has("v")) return;
    await this.#invocation.print(`${quoteName(source)} -> ${quoteName(destination)}\n`);
  }

  async #copyDirectory(entry: Entry, isOperand: boolean): Promise<void> {
    const { source, destination, status } = entry;
    if (!this.#options.has("r", "R", "a")) {
      throw new Complaint(`-r not specified; omitting directory ${quoteName(source)}`);
    }
    const existing =
      statusOf(this.#invocation, destination) ??
      statusOf(this.#invocation, destination, { followSymlink: false });
    if (existing?.inode === status.inode) throw sameFile(entry);
    if (isOperand && liesInside(this.#invocation, destination, status)) {
      const names = `${quoteName(source)}, into itself, ${quoteName(destination)}`;
      throw new Complaint(`cannot copy a directory, ${names}`);
    }
    if (this.#entered.has(status.inode)) {
      throw new Complaint(`cannot copy cyclic symbolic link ${quoteName(source)}`);
    }
    if (existing !== undefined) requireSameKind(entry, status, existing);
    else {
      this.#invocation.attempt("cannot create directory", destination, (files, path, credentials) => {
        // Its owner needs all rights until it has been filled.
        files.makeDirectory(path, credentials, { mode: status.mode | 0o700 });
        this.#entered.add(files.status(path, credentials).inode);
      });
      await this.#announce(entry);
    }
    this.#entered.add(status.inode);
    await this.#invocation.guard(async () => {
      const entries = this.#invocation.attempt("cannot access", source, (files, path, credentials) =>
        files.list(path, credentials),
      );
      for (const { name } of entries) {
        const placement = { source: join(source, name), destination: join(destination, name) };
        await this.#invocation.guard(() => this.copy(placement, false));
      }
    });
    this.#entered.delete(status.inode);
    const { umask } = this.#invocation.credentials;
    this.#preserve(entry, existing === undefined ? status.mode & 0o777 & ~umask : undefined);
  }

  /** @returns whether the file is to be copied. */
  async #clearDestination(entry: Entry): Promise<boolean> {
    const { destination, status } = entry;
    const named = this.#invocation.attempt("cannot stat", destination, (files, path, credentials) =>
      unlessRefused(["ENOENT"], () => files.status(path, credentials, { followSymlink: false })),
    );
    if (named === undefined) return true;
    const target = statusOf(this.#invocation, destination);
    const existing = status.type === "symlink" ? named : target;
    if (await keepsExisting(this.#invocation, this.#options, { destination, status, existing })) return false;
    if (existing?.inode === status.inode) throw sameFile(entry);
    if (target !== undefined) requireSameKind(entry, status, target);
    const { files, credentials } = this.#invocation;
    const path = this.#invocation.path(destination);
    const isForced = this.#options.has("f") && !files.permits(path, credentials, WRITE);
    if (isForced || this.#options.has("remove-destination") || status.type === "symlink") {
      this.#invocation.attempt("cannot remove", destination, () => files.unlink(path, credentials));
    } else if (target === undefined) {
      throw new Complaint(`not writing through dangling symlink ${quoteName(destination)}`);
    }
    return true;
  }

  async #copyFile(entry: Entry): Promise<void> {
    const { source, destination, status } = entry;
    const { files, credentials } = this.#invocation;
    const from = this.#invocation.path(source);
    if (status.type === "symlink") {
      this.#invocation.attempt("cannot create symbolic link", destination, (_, path) =>
        files.symlink(files.readSymlink(from, credentials), path, credentials),
      );
      this.#preserveOwner(entry);
      return;
    }
    await this.#copyContent(entry, status);
    if (!isDevice(destination)) this.#preserve(entry, undefined);
  }

  /** @param status that of the source, unless it is a device. */
  async #copyContent({ source, destination }: Placement, status?: FileStatus): Promise<void> {
    const { files, credentials } = this.#invocation;
    try {
      const [from, to] = [this.#invocation.path(source), this.#invocation.path(destination)];
      if (status === undefined || isDevice(destination)) {
        const input = await openPath(this.#invocation, source);
        const sink = openSink(this.#invocation, destination);
        for await (const piece of pieces(input)) await sink.write(piece);
        await sink.flush();
      } else if (status.size > SMALL_FILE_BYTES) await files.copyFile(from, to, credentials);
      else {
        files.writeAll(to, files.readAll(from, credentials), credentials, { mode: status.mode & 0o777 });
        await this.#invocation.stepBytes(status.size);
      }
    } catch (error) {
      const isFull = error instanceof FileError && error.code === "ENOSPC";
      this.#invocation.attempt(isFull ? "error writing" : "cannot create regular file", destination, () => {
        throw error;
      });
    }
  }

  /** @param newMode the mode of a new directory where its source's mode is not preserved. */
  #preserve(entry: Entry, newMode: number | undefined): void {
    const { destination, status } = entry;
    // A change of owner clears the set-id bits. With another owner they would give other rights.
    const isOwned = this.#preserveOwner(entry) || !this.#preserved.has("ownership");
    const kept = isOwned ? status.mode : status.mode & 0o777;
    const mode = this.#preserved.has("mode") ? kept : newMode;
    this.#invocation.attempt("preserving attributes of", destination, (files, path, credentials) => {
      if (mode !== undefined) files.changeMode(path, credentials, mode);
      if (this.#preserved.has("timestamps")) files.setTimes(path, credentials, status);
    });
  }

  /** @returns whether the owner is now the source's owner: only root can give files to others. */
  #preserveOwner({ destination, status: { uid, gid } }: Entry): boolean {
    if (!this.#preserved.has("ownership")) return false;
    const { files, credentials } = this.#invocation;
    const path = this.#invocation.path(destination);
    const isGiven = unlessRefused(["EPERM"], () => {
      files.changeOwner(path, credentials, { uid, gid }, { followSymlink: false });
      return true;
    });
    return isGiven ?? false;
  }
}

export const cp: MachineCommand = {
  name: "cp",
  async run(invocation) {
    const options = invocation.options(CP_OPTIONS);
    const copy = new TreeCopy(invocation, options);
    for (const placement of placementsOf(invocation, options)) {
      await invocation.guard(() => copy.copy(placement));
    }
  },
};

const MV_OPTIONS =
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
    const options = invocation.options(MV_OPTIONS);
    for (const placement of placementsOf(invocation, options)) {
      await invocation.guard(() => move(invocation, placement, options));
    }
  },
};

const INSTALL_OPTIONS = `c d,directory D g,group= m,mode= o,owner= p,preserve-timestamps s,strip
  t,target-directory= T,no-target-directory v,verbose`;

export const install: MachineCommand = {
  name: "install",
  usage: "install [OPTION]... SOURCE... DIRECTORY",
  async run(invocation) {
    const options = invocation.options(INSTALL_OPTIONS);
    const mode = readModeChange(options.value("m") ?? "755", 0)(0, false);
    const group = options.has("g") ? `:${options.value("g")}` : "";
    const owner = parseOwnership((options.value("o") ?? "") + group, invocation.environment.users);
    const isVerbose = options.has("v");
    const copyArguments = ["--remove-destination"];
    if (options.has("p")) copyArguments.push("--preserve=timestamps");
    if (isVerbose) copyArguments.push("-v");
    const copy = new TreeCopy(invocation, parseOptions(copyArguments, CP_OPTIONS));

    const makeParents = (operand: string) => makeDirectories(invocation, operand, { isVerbose });
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
