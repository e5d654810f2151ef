import { RpcTarget } from "cloudflare:workers";
import { type FileSystem, ROOT } from "durable-machine";
import { numberedName } from "../browser/download-places.ts";
import type { FileContent, FilePlace } from "../browser/session-files.ts";
import type { Outcome } from "../http/outcome.ts";
import { entryType } from "./entry-type.ts";
import type { RunOnFiles } from "./machine-files.ts";
import { Uploads } from "./uploads.ts";
import { KERNEL_USER } from "./users.ts";

/** A machine's files for the browser of its session: where downloads go, and what is given to file choosers. */
export class BrowserFiles extends RpcTarget {
  readonly #run: RunOnFiles;

  constructor(run: RunOnFiles) {
    super();
    this.#run = run;
  }

  /** Stores a download, as the machine's ordinary user's. @returns its path. */
  store(place: FilePlace, body: ReadableStream<Uint8Array>): Promise<Outcome<string>> {
    return this.#run(async ({ files }) => {
      const uploads = new Uploads(files);
      const staged = await uploads.stage(body);
      try {
        makeDirectories(files, place.directory);
        // Between the choice of a name and the file's taking it nothing else runs.
        const path = choosePath(files, place);
        uploads.place([{ staged, destination: path }]);
        files.changeOwner(path, ROOT, KERNEL_USER);
        return path;
      } catch (error) {
        uploads.discard([staged]);
        throw error;
      }
    });
  }

  /** Gives a file one more name. @returns the path that this makes. */
  link(path: string, place: FilePlace): Promise<Outcome<string>> {
    return this.#run(({ files }) => {
      makeDirectories(files, place.directory);
      const destination = choosePath(files, place);
      // Two clients may name one directory, each in its own words.
      if (isSameFile(files, path, destination)) return destination;
      files.atomically(() => {
        if (entryType(files, destination) !== undefined) files.unlink(destination, ROOT);
        files.link(path, destination, ROOT);
      });
      return destination;
    });
  }

  /** Reads a file; null where an absolute path leads to none. */
  read(path: string): Promise<Outcome<FileContent | null>> {
    return this.#run(({ files }) => {
      const isFile = files.exists(path, ROOT) && files.status(path, ROOT).type === "file";
      return isFile ? files.read(path, ROOT) : null;
    });
  }
}

/** Directories that a download makes are the ordinary user's, as the download is. */
function makeDirectories(files: FileSystem, directory: string): void {
  const parts = directory.split("/").filter((part) => part !== "");
  parts.forEach((_, index) => {
    const path = `/${parts.slice(0, index + 1).join("/")}`;
    if (entryType(files, path) !== undefined) return;
    files.makeDirectory(path, ROOT);
    files.changeOwner(path, ROOT, KERNEL_USER);
  });
}

function choosePath(files: FileSystem, { directory, name, ifTaken }: FilePlace): string {
  const at = (chosen: string) => `${directory.replace(/\/+$/, "")}/${chosen}`;
  if (ifTaken === "replace") return at(name);
  for (let number = 0; ; number += 1) {
    const path = at(numberedName(name, number));
    if (entryType(files, path) === undefined) return path;
  }
}

function isSameFile(files: FileSystem, path: string, other: string): boolean {
  if (entryType(files, other) === undefined) return false;
  const [one, two] = [path, other].map((each) => files.status(each, ROOT, { followSymlink: false }).inode);
  return one === two;
}
