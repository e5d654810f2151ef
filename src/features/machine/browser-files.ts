import { RpcTarget } from "cloudflare:workers";
import type { MachineFiles } from "durable-machine";
import type { Outcome } from "../../lib/common/outcome.ts";
import { type FileContent, type FileDestination, numberedName } from "../../platform/browser/index.ts";
import { entryType } from "./entry-type.ts";
import type { RunOnFiles } from "./file-calls.ts";
import { isFileError } from "./file-refusal.ts";
import { Uploads } from "./uploads.ts";
import { KERNEL_USER } from "./users.ts";

const HOME_DIRECTORY = "/home/kernel";
const MAX_LISTED_FILES = 200;
const MAX_LISTED_DIRECTORIES = 100;
const MAX_FOUND_FILES = 10_000;

/** The files of a machine, for the downloads and file choosers of its session's browser. */
export class BrowserFiles extends RpcTarget {
  readonly #run: RunOnFiles;

  constructor(run: RunOnFiles) {
    super();
    this.#run = run;
  }

  store(place: FileDestination, body: ReadableStream<Uint8Array>): Promise<Outcome<string>> {
    return this.#run(async ({ files }) => {
      const uploads = new Uploads(files);
      const staged = await uploads.stage(body);
      try {
        await makeDirectories(files, place.directory);
        const path = await withFreeName(place, (path) =>
          place.ifTaken === "replace"
            ? uploads.place([{ staged, destination: path }])
            : uploads.placeNew(staged, path),
        );
        await files.changeOwner(path, KERNEL_USER);
        return path;
      } catch (error) {
        await uploads.discard([staged]);
        throw error;
      }
    });
  }

  link(path: string, place: FileDestination): Promise<Outcome<string>> {
    return this.#run(async ({ files }) => {
      await makeDirectories(files, place.directory);
      return await withFreeName(place, async (destination) => {
        // Clients may name the same directory by different paths.
        if (await isSameFile(files, path, destination)) return;
        if (place.ifTaken === "replace" && (await entryType(files, destination)) !== undefined) {
          await files.unlink(destination);
        }
        await files.link(path, destination);
      });
    });
  }

  read(path: string): Promise<Outcome<FileContent | null>> {
    return this.#run(async ({ files }) => {
      try {
        const { type } = await files.status(path);
        return type === "file" ? await files.read(path) : null;
      } catch (error) {
        if (isFileError(error)) return null;
        throw error;
      }
    });
  }

  /** @returns paths of files in the home directory, the newest first; hidden and further ones are left out. */
  list(): Promise<Outcome<string[]>> {
    return this.#run(async ({ files }) => {
      const directories = [HOME_DIRECTORY];
      const found: { path: string; modifiedAt: number }[] = [];
      // The loop also visits what it adds.
      for (const directory of directories) {
        if ((await entryType(files, directory)) !== "directory") continue;
        for (const { name, type, modifiedAt } of await files.list(directory)) {
          // Dialogs take paths in double quotes.
          if (name.startsWith(".") || name.includes('"')) continue;
          const path = `${directory}/${name}`;
          if (type === "file" && found.length < MAX_FOUND_FILES) found.push({ path, modifiedAt });
          else if (type === "directory" && directories.length < MAX_LISTED_DIRECTORIES)
            directories.push(path);
        }
      }
      found.sort((one, other) => other.modifiedAt - one.modifiedAt);
      return found.slice(0, MAX_LISTED_FILES).map(({ path }) => path);
    });
  }
}

/** New directories belong to the user, like the download. */
async function makeDirectories(files: MachineFiles, directory: string): Promise<void> {
  const parts = directory.split("/").filter((part) => part !== "");
  for (const index of parts.keys()) {
    const path = `/${parts.slice(0, index + 1).join("/")}`;
    if ((await entryType(files, path)) !== undefined) continue;
    await files.makeDirectory(path, { parents: true });
    await files.changeOwner(path, KERNEL_USER);
  }
}

/** Calls `take` with the path, then with numbered names, while it rejects with EEXIST. @returns the path. */
async function withFreeName(
  { directory, name, ifTaken }: FileDestination,
  take: (path: string) => Promise<void>,
): Promise<string> {
  for (let number = 0; ; number += 1) {
    const chosen = ifTaken === "replace" ? name : numberedName(name, number);
    const path = `${directory.replace(/(?<!\/)\/+$/, "")}/${chosen}`;
    try {
      await take(path);
      return path;
    } catch (error) {
      if (ifTaken === "replace" || !isFileError(error) || error.code !== "EEXIST") throw error;
    }
  }
}

async function isSameFile(files: MachineFiles, path: string, other: string): Promise<boolean> {
  if ((await entryType(files, other)) === undefined) return false;
  const [one, two] = await Promise.all(
    [path, other].map((each) => files.status(each, { followSymlink: false })),
  );
  return one?.inode === two?.inode;
}
