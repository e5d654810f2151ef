import { logError } from "../../../lib/common/log.ts";
import { orUndefinedIfRefused, refusalOf } from "../connection/control-connection.ts";
import type { Connection } from "../connection/puppeteer.ts";
import { PrivateContexts } from "../contexts/private-contexts.ts";
import { BrowserDisk, NotSavedError } from "../files/browser-disk.ts";
import type { BrowserExtension, BrowserExtensions } from "./browser-extension.ts";

/** With this flag a browser accepts extensions but runs none. */
const NO_EXTENSIONS = "--disable-extensions";

type Disk = Pick<BrowserDisk, "writeTree">;

/**
 * Loads the extensions into the browser, once per browser.
 *
 * @returns the extensions that the browser does not run.
 * @throws when the browser does not answer.
 */
export async function loadIntoBrowser(
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
 * Loads extensions, also into clients' contexts. Stops if the first one shows that the browser runs none or
 * has no disk.
 *
 * @returns Berth's ids of the loaded extensions.
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

/** @returns Chrome's own ids of the extensions that the browser has loaded. */
export async function readLoadedIds(
  connection: Connection,
  given: BrowserExtensions | undefined,
): Promise<ReadonlySet<string>> {
  if ((given?.loaded?.read() ?? []).length === 0) return new Set();
  const { extensions } = await connection.send("Extensions.getExtensions");
  return new Set(extensions.map(({ id }) => id));
}

async function mayLoad(connection: Connection): Promise<boolean> {
  const [flags, list] = await Promise.all([
    orUndefinedIfRefused(connection.send("Browser.getBrowserCommandLine")),
    // Older browsers lack the command, and others refuse it over a network.
    orUndefinedIfRefused(connection.send("Extensions.getExtensions")),
  ]);
  return list !== undefined && !flags?.arguments.includes(NO_EXTENSIONS);
}

class NotLoadedError extends Error {
  override readonly name = "NotLoadedError";
}

async function writeFiles(disk: Disk, { readFiles }: BrowserExtension): Promise<string> {
  try {
    const files = await readFiles();
    return await disk.writeTree(files.filter(({ path }) => !isHidden(path)));
  } catch (cause) {
    throw new NotLoadedError("The extension's files are not written", { cause });
  }
}

/** Editors and version control leave such files. Chrome saves no file whose name begins with a dot. */
function isHidden(path: string): boolean {
  return /(^|\/)\./.test(path);
}

/** @returns false if the browser accepts the extension without running it. @throws NotLoadedError */
async function load(connection: Connection, path: string): Promise<boolean> {
  // enableInIncognito is missing in the protocol version that Puppeteer pins.
  const request = { path, enableInIncognito: true };
  const taken = await connection.send("Extensions.loadUnpacked", request).catch((cause) => {
    if (refusalOf(cause) === undefined) throw cause;
    throw new NotLoadedError("The browser refuses the extension", { cause });
  });
  const { extensions } = await connection.send("Extensions.getExtensions");
  return extensions.some(({ id, enabled }) => id === taken.id && enabled !== false);
}
