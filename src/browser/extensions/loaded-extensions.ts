import { logError } from "../../common/log.ts";
import { refusalOf } from "../connection/control-connection.ts";
import type { Connection } from "../connection/puppeteer.ts";
import { PrivateContexts } from "../contexts/private-contexts.ts";
import { BrowserDisk, NotSavedError } from "../files/browser-disk.ts";
import type { BrowserExtension, BrowserExtensions } from "./browser-extension.ts";

/** With it a browser takes extensions, answers with their ids, and runs none. */
const NO_EXTENSIONS = "--disable-extensions";

type Disk = Pick<BrowserDisk, "writeTree">;

/**
 * Has the browser load its extensions, unless it was given them before, and notes which of them it has.
 *
 * @returns the others, which are to be run for it.
 * @throws when the browser does not answer: then nobody knows what it has loaded.
 */
export async function withoutLoaded(
  connection: Connection,
  extensions: BrowserExtensions,
): Promise<BrowserExtensions> {
  const { list, loaded } = extensions;
  if (loaded === undefined) return extensions;
  let ids = loaded.read();
  if (ids === undefined) {
    const disk = new BrowserDisk(connection, new PrivateContexts(connection));
    ids = await loadExtensions(connection, disk, list);
    loaded.write(ids);
  }
  return { ...extensions, list: list.filter(({ id }) => !ids.includes(id)) };
}

/**
 * Has the browser load extensions, also for the contexts that clients make. Where the first shows that it loads none, or
 * has no disk for them, it is asked for no other.
 *
 * @returns the ids, as Berth has them, of those that it has loaded.
 */
export async function loadExtensions(
  connection: Connection,
  disk: Disk,
  extensions: readonly BrowserExtension[],
): Promise<string[]> {
  if (!(await mayLoad(connection))) return [];
  const loaded: string[] = [];
  for (const extension of extensions) {
    try {
      const directory = await writeFiles(disk, extension);
      if (!(await load(connection, directory))) break;
      loaded.push(extension.id);
    } catch (error) {
      if (!(error instanceof NotLoadedError)) throw error;
      logError("extension_not_loaded", error, { extension: extension.id });
      if (error.cause instanceof NotSavedError) break;
    }
  }
  return loaded;
}

/** Whether it is worth a try: what tells otherwise costs nothing to ask. */
async function mayLoad(connection: Connection): Promise<boolean> {
  const [flags, list] = await Promise.all([
    // Browsers that are not automated keep them to themselves.
    unlessRefused(connection.send("Browser.getBrowserCommandLine")),
    // Older browsers do not know the command, others know it from nobody who comes over a network.
    unlessRefused(connection.send("Extensions.getExtensions")),
  ]);
  return list !== undefined && !flags?.arguments.includes(NO_EXTENSIONS);
}

/** One extension is not loaded, for a reason of its own. */
class NotLoadedError extends Error {
  override readonly name = "NotLoadedError";
}

/** @returns the directory. @throws NotLoadedError where the files cannot be had, or not be written under their names. */
async function writeFiles(disk: Disk, { readFiles }: BrowserExtension): Promise<string> {
  try {
    const files = await readFiles();
    return await disk.writeTree(files.filter(({ path }) => !isHidden(path)));
  } catch (cause) {
    throw new NotLoadedError("The extension's files are not written", { cause });
  }
}

/** What editors and version control leave behind. The browser's disk takes no file whose name begins with a dot. */
function isHidden(path: string): boolean {
  return /(^|\/)\./.test(path);
}

/** @returns false where the browser takes it and does not load it, as it would any other. @throws NotLoadedError */
async function load(connection: Connection, path: string): Promise<boolean> {
  // The protocol's types, which Puppeteer pins, do not know enableInIncognito yet.
  const request = { path, enableInIncognito: true };
  const taken = await connection.send("Extensions.loadUnpacked", request).catch((cause) => {
    if (refusalOf(cause) === undefined) throw cause;
    throw new NotLoadedError("The browser refuses the extension", { cause });
  });
  const { extensions } = await connection.send("Extensions.getExtensions");
  return extensions.some(({ id, enabled }) => id === taken.id && enabled !== false);
}

/** What a command answers; undefined when the browser refuses it. */
async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (refusalOf(error) === undefined) throw error;
    return undefined;
  }
}
