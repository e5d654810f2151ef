import { RpcTarget } from "cloudflare:workers";
import type { MachineFiles } from "durable-machine";
import type { Outcome } from "../../lib/common/outcome.ts";
import { type FileContent, type FileDestination, numberedName } from "../../platform/browser/index.ts";
import { entryType } from "./entry-type.ts";
import type { RunOnFiles } from "./file-calls.ts";
import { isFileError } from "./file-refusal.ts";
import { Uploads } from "./uploads.ts";
import { KERNEL_USER } from "./users.ts";

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
