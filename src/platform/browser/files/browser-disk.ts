import { z } from "zod";
import { resolveWithin, settleAll } from "../../../lib/common/concurrency.ts";
import {
  addFilePart,
  addFrame,
  fileSize,
  firstFile,
  newFileInput,
  saveFiles,
  toFileUrls,
} from "../../page-scripts/bundled.js";
import { toCall } from "../../page-scripts/page-function.ts";
import { type HelperPage, withHelperPage } from "../connection/helper-page.ts";
import { type CDPSession, CDPSessionEvent, type Connection } from "../connection/puppeteer.ts";
import type { PrivateContexts } from "../contexts/private-contexts.ts";
import { readInChunks } from "./chunks.ts";

const PIECE_BYTES = 256 * 1024;
const MAX_PENDING_PIECES = 4;

/** Chrome silently drops further files that one frame saves within a second. */
const MAX_FILES_PER_FRAME = 10;

const MAX_CONCURRENT_PAGES = 4;

const SAVE_TIMEOUT_MS = 60_000;

/** Shorter, because extensions can run without the disk, and some browsers have none. */
const TREE_TIMEOUT_MS = 10_000;

/** Clients may get events about a frame after it has ended. */
const MAX_REMEMBERED_FRAMES = 100;

const FALLBACK_DIRECTORY = "/tmp";

const urlsSchema = z.array(z.string());

export interface TreeFile {
  path: string;
  read(): Promise<Uint8Array>;
}

interface SavedFile {
  name: string;
  open(): Promise<ReadableStream<Uint8Array>>;
}

type Save = (directory: string, files: readonly SavedFile[]) => Promise<string[]>;

export class NotSavedError extends Error {
  override readonly name = "NotSavedError";
}

/** The browser machine's disk. Pages read files through a file input and write them as downloads. */
export class BrowserDisk {
  readonly #connection: Connection;
  readonly #contexts: PrivateContexts;
  readonly #ownFrames = new Set<string>();
  #directory: Promise<string> | undefined;

  constructor(connection: Connection, contexts: PrivateContexts) {
    this.#connection = connection;
    this.#contexts = contexts;
  }

  directory(): Promise<string> {
    this.#directory ??= findProfile(this.#connection).then((profile) => `${profile}/berth-files`);
    return this.#directory;
  }

  isOwnFrame(frameId: string): boolean {
    return this.#ownFrames.has(frameId);
  }

  read<T>(path: string, use: (body: ReadableStream<Uint8Array>) => Promise<T>): Promise<T> {
    return withHelperPage(this.#connection, async ({ session }) => {
      const { result: input } = await session.send("Runtime.evaluate", { expression: toCall(newFileInput) });
      await session.send("DOM.setFileInputFiles", { files: [path], objectId: input.objectId });
      const { result: file } = await session.send("Runtime.callFunctionOn", {
        functionDeclaration: firstFile,
        objectId: input.objectId,
      });
      const objectId = file.objectId ?? "";
      const [{ uuid }, { result: size }] = await Promise.all([
        session.send("IO.resolveBlob", { objectId }),
        session.send("Runtime.callFunctionOn", { functionDeclaration: fileSize, objectId }),
      ]);
      return use(readBlob(session, `blob:${uuid}`, Number(size.value)));
    });
  }

  async write(name: string, body: ReadableStream<Uint8Array>): Promise<string> {
    const directory = `${await this.directory()}/${crypto.randomUUID()}`;
    const [savedAs] = await this.#inPage((save) => save(directory, [{ name, open: async () => body }]));
    return `${directory}/${savedAs}`;
  }

  /** @returns the directory. @throws NotSavedError if no file is written. @throws Error if one is renamed. */
  async writeTree(files: readonly TreeFile[]): Promise<string> {
    const top = `${await this.directory()}/${crypto.randomUUID()}`;
    const all = toDirectories(files);
    const queue = all.values();
    let isFailing = false;
    const savers = all.slice(0, MAX_CONCURRENT_PAGES).map(() =>
      this.#inPage(async (save) => {
        for (const { directory, files } of queue) {
          if (isFailing) return;
          const names = await save(directory === "" ? top : `${top}/${directory}`, files);
          const renamed = files.find(({ name }, index) => name !== names[index]);
          if (renamed !== undefined)
            throw new Error(`The browser's disk takes no file named ${renamed.name}`);
        }
      }, TREE_TIMEOUT_MS).catch((error) => {
        isFailing = true;
        throw error;
      }),
    );
    await settleAll(savers);
    return top;
  }

  /** DevTools cannot delete a file, so it is emptied. */
  async clear(path: string): Promise<void> {
    const end = path.lastIndexOf("/");
    const empty = { name: path.slice(end + 1), open: async () => new Blob([]).stream() };
    await this.#inPage((save) => save(path.slice(0, end), [empty]));
  }

  #inPage<T>(work: (save: Save) => Promise<T>, timeoutMs = SAVE_TIMEOUT_MS): Promise<T> {
    return this.#contexts.with((browserContextId) =>
      withHelperPage(
        this.#connection,
        (page) => {
          this.#noteOwnFrame(page.id);
          let saves = 0;
          return work(async (downloadPath, files) => {
            if (saves > 0) await this.#addFrame(page);
            saves += 1;
            await page.session.send("Browser.setDownloadBehavior", {
              behavior: "allow",
              browserContextId,
              downloadPath,
              eventsEnabled: true,
            });
            return saveInPage(page, files, timeoutMs);
          });
        },
        browserContextId,
      ),
    );
  }

  async #addFrame({ session }: HelperPage): Promise<void> {
    await session.send("Runtime.evaluate", { expression: toCall(addFrame) });
    const { frameTree } = await session.send("Page.getFrameTree");
    const newest = frameTree.childFrames?.at(-1);
    if (newest !== undefined) this.#noteOwnFrame(newest.frame.id);
  }

  #noteOwnFrame(id: string): void {
    const oldest = this.#ownFrames.values().next().value;
    if (oldest !== undefined && this.#ownFrames.size >= MAX_REMEMBERED_FRAMES) this.#ownFrames.delete(oldest);
    this.#ownFrames.add(id);
  }
}

async function findProfile(connection: Connection): Promise<string> {
  const flag = "--user-data-dir=";
  try {
    const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
    return flags.findLast((text) => text.startsWith(flag))?.slice(flag.length) || FALLBACK_DIRECTORY;
  } catch {
    return FALLBACK_DIRECTORY;
  }
}

function readBlob(session: CDPSession, handle: string, size: number): ReadableStream<Uint8Array> {
  const pending: Promise<Uint8Array>[] = [];
  let asked = 0;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      for (; pending.length < MAX_PENDING_PIECES && asked < size; asked += PIECE_BYTES) {
        const piece = readPiece(session, handle, asked, Math.min(PIECE_BYTES, size - asked));
        piece.catch(() => undefined);
        pending.push(piece);
      }
      const next = await pending.shift();
      if (next !== undefined) {
        controller.enqueue(next);
        return;
      }
      controller.close();
      controller.byobRequest?.respond(0);
    },
  });
}

async function readPiece(
  session: CDPSession,
  handle: string,
  offset: number,
  size: number,
): Promise<Uint8Array> {
  const { data, base64Encoded } = await session.send("IO.read", { handle, offset, size });
  const bytes = base64Encoded ? Uint8Array.fromBase64(data) : new TextEncoder().encode(data);
  if (bytes.length !== size) throw new Error("A file of the browser's disk ends before its end");
  return bytes;
}

interface DirectoryFiles {
  directory: string;
  files: SavedFile[];
}

function toDirectories(tree: readonly TreeFile[]): DirectoryFiles[] {
  const all: DirectoryFiles[] = [];
  const newest = new Map<string, SavedFile[]>();
  for (const { path, read } of tree) {
    const end = path.lastIndexOf("/");
    const directory = path.slice(0, Math.max(end, 0));
    // Chrome drops the whole path if its locale lacks one of the characters.
    if (!/^[ -~]*$/.test(directory)) throw new Error(`The browser's disk takes no directory ${directory}`);
    let files = newest.get(directory);
    if (files === undefined || files.length >= MAX_FILES_PER_FRAME) {
      files = [];
      newest.set(directory, files);
      all.push({ directory, files });
    }
    files.push({ name: path.slice(end + 1), open: async () => new Blob([await read()]).stream() });
  }
  return all;
}

async function saveInPage(
  { session }: HelperPage,
  files: readonly SavedFile[],
  timeoutMs: number,
): Promise<string[]> {
  const { result: parts } = await session.send("Runtime.evaluate", { expression: "({})" });
  const call = async (functionDeclaration: string, ...values: unknown[]): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send("Runtime.callFunctionOn", {
      functionDeclaration,
      objectId: parts.objectId,
      arguments: values.map((value) => ({ value })),
      returnByValue: true,
      userGesture: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`A file is not written: ${exceptionDetails.text}`);
    return result.value;
  };
  const pending: Promise<unknown>[] = [];
  for (const [index, { open }] of files.entries()) {
    for await (const piece of readInChunks(await open(), PIECE_BYTES)) {
      const added = call(addFilePart, index, piece.toBase64());
      added.catch(() => undefined);
      pending.push(added);
      if (pending.length >= MAX_PENDING_PIECES) await pending.shift();
    }
  }
  await Promise.all(pending);
  const urls = urlsSchema.parse(await call(toFileUrls, files.length));
  const saved = followDownloads(session, urls);
  await call(
    saveFiles,
    urls.map((url, index) => ({ url, name: files[index]?.name })),
  );
  const names = await resolveWithin(saved, timeoutMs);
  if (names === undefined) throw new NotSavedError("The file could not be written to the browser's disk");
  return names;
}

function followDownloads(session: CDPSession, urls: readonly string[]): Promise<string[] | undefined> {
  const ended = Promise.withResolvers<string[] | undefined>();
  const begun = new Map<string, { url: string; name: string }>();
  const names = new Map<string, string>();
  session.on("Browser.downloadWillBegin", ({ guid, url, suggestedFilename }) => {
    begun.set(guid, { url, name: suggestedFilename });
  });
  session.on("Browser.downloadProgress", ({ guid, state }) => {
    const download = begun.get(guid);
    if (download === undefined || state === "inProgress") return;
    if (state === "canceled") ended.resolve(undefined);
    names.set(download.url, download.name);
    if (names.size === urls.length) ended.resolve(urls.map((url) => names.get(url) ?? ""));
  });
  session.once(CDPSessionEvent.Disconnected, () => ended.resolve(undefined));
  return ended.promise;
}
