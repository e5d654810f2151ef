import { type CDPSession, CDPSessionEvent } from "@cloudflare/puppeteer/internal/api/CDPSession.js";
import type { Connection } from "@cloudflare/puppeteer/internal/cdp/Connection.js";
import { withinTime } from "../concurrency.ts";
import { type HelperPage, withHelperPage } from "./helper-page.ts";
import { piecesOf } from "./pieces.ts";
import type { PrivateContexts } from "./private-contexts.ts";

/** What goes over the connection in one frame, and how many are under way at once: the browser may be far away. */
const PIECE_BYTES = 256 * 1024;
const PIECES_AHEAD = 4;

/** How long the browser may take to write a file to its disk, of which it has all by then. */
const SAVE_PATIENCE_MS = 60_000;

/** Clients may hear of what one of so many of Berth's pages did a little later than Berth itself. */
const REMEMBERED_FRAMES = 100;

/** Where files go when the browser does not tell where its profile is, which ends with it. */
const OTHER_DIRECTORY = "/tmp";

const NEW_FILE_INPUT = `Object.assign(document.createElement("input"), { type: "file" })`;
const FIRST_FILE = "function () { return this.files[0]; }";
const SIZE = "function () { return this.size; }";

/** Bytes in base64 become one more part of the file. Older browsers have no `fromBase64`. */
const ADD_PART = `function (text) {
  const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
  this.push(new Blob([bytes]));
}`;

/** Of the type that leaves a name's ending alone. */
const SAVE_PARTS = `function (name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(this, { type: "application/octet-stream" }));
  link.download = name;
  link.click();
}`;

/**
 * The disk of the machine that the browser runs on, as far as DevTools reach it: a page is given a file of it as a
 * file chooser would, and saves one as a download.
 */
export class BrowserDisk {
  readonly #connection: Connection;
  readonly #contexts: PrivateContexts;
  readonly #ownFrames = new Set<string>();
  #directory: Promise<string> | undefined;

  constructor(connection: Connection, contexts: PrivateContexts) {
    this.#connection = connection;
    this.#contexts = contexts;
  }

  /** A directory for what the browser downloads. */
  directory(): Promise<string> {
    this.#directory ??= findProfile(this.#connection).then((profile) => `${profile}/berth-files`);
    return this.#directory;
  }

  /** Whether a download of that frame's is none, but a file that is written here. */
  isOwnFrame(frameId: string): boolean {
    return this.#ownFrames.has(frameId);
  }

  /** Gives a file, piece by piece, to `use`. @throws when there is none. */
  read<T>(path: string, use: (body: ReadableStream<Uint8Array>) => Promise<T>): Promise<T> {
    return withHelperPage(this.#connection, async ({ session }) => {
      const { result: input } = await session.send("Runtime.evaluate", { expression: NEW_FILE_INPUT });
      await session.send("DOM.setFileInputFiles", { files: [path], objectId: input.objectId });
      const { result: file } = await session.send("Runtime.callFunctionOn", {
        functionDeclaration: FIRST_FILE,
        objectId: input.objectId,
      });
      const objectId = file.objectId ?? "";
      const [{ uuid }, { result: size }] = await Promise.all([
        session.send("IO.resolveBlob", { objectId }),
        session.send("Runtime.callFunctionOn", { functionDeclaration: SIZE, objectId }),
      ]);
      return use(readBlob(session, `blob:${uuid}`, Number(size.value)));
    });
  }

  /**
   * Writes a file into a directory of its own.
   *
   * @param name one that Chrome saves a file under.
   * @returns its path.
   */
  async write(name: string, body: ReadableStream<Uint8Array>): Promise<string> {
    return this.#save(`${await this.directory()}/${crypto.randomUUID()}`, name, body);
  }

  /** Takes a file's content away; nothing that DevTools know takes the file away too. */
  async clear(path: string): Promise<void> {
    const end = path.lastIndexOf("/");
    await this.#save(path.slice(0, end), path.slice(end + 1), new Blob([]).stream());
  }

  #save(directory: string, name: string, body: ReadableStream<Uint8Array>): Promise<string> {
    return this.#contexts.with((browserContextId) =>
      withHelperPage(
        this.#connection,
        async (page) => {
          this.#noteOwnFrame(page.id);
          await page.session.send("Browser.setDownloadBehavior", {
            behavior: "allow",
            browserContextId,
            downloadPath: directory,
            eventsEnabled: true,
          });
          return `${directory}/${await saveInPage(page, name, body)}`;
        },
        browserContextId,
      ),
    );
  }

  #noteOwnFrame(id: string): void {
    const oldest = this.#ownFrames.values().next().value;
    if (oldest !== undefined && this.#ownFrames.size >= REMEMBERED_FRAMES) this.#ownFrames.delete(oldest);
    this.#ownFrames.add(id);
  }
}

/** The directory that the browser keeps its profile in. */
async function findProfile(connection: Connection): Promise<string> {
  const flag = "--user-data-dir=";
  try {
    const { arguments: flags } = await connection.send("Browser.getBrowserCommandLine");
    return flags.findLast((text) => text.startsWith(flag))?.slice(flag.length) || OTHER_DIRECTORY;
  } catch {
    // Browsers that are not automated keep it to themselves.
    return OTHER_DIRECTORY;
  }
}

function readBlob(session: CDPSession, handle: string, size: number): ReadableStream<Uint8Array> {
  const ahead: Promise<Uint8Array>[] = [];
  let asked = 0;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      for (; ahead.length < PIECES_AHEAD && asked < size; asked += PIECE_BYTES) {
        const piece = readPiece(session, handle, asked, Math.min(PIECE_BYTES, size - asked));
        // What fails is thrown when its turn comes.
        piece.catch(() => undefined);
        ahead.push(piece);
      }
      const next = await ahead.shift();
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

/** Saves a file out of a page. @returns the name that it got. */
async function saveInPage(
  { session }: HelperPage,
  name: string,
  body: ReadableStream<Uint8Array>,
): Promise<string> {
  const { result: parts } = await session.send("Runtime.evaluate", { expression: "[]" });
  const call = async (functionDeclaration: string, text: string) => {
    const { exceptionDetails } = await session.send("Runtime.callFunctionOn", {
      functionDeclaration,
      objectId: parts.objectId,
      arguments: [{ value: text }],
      userGesture: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`A file is not written: ${exceptionDetails.text}`);
  };
  const ahead: Promise<void>[] = [];
  for await (const piece of piecesOf(body, PIECE_BYTES)) {
    const added = call(ADD_PART, piece.toBase64());
    // What fails is thrown when its turn comes.
    added.catch(() => undefined);
    ahead.push(added);
    if (ahead.length >= PIECES_AHEAD) await ahead.shift();
  }
  await Promise.all(ahead);
  const saved = nextDownload(session);
  await call(SAVE_PARTS, name);
  const savedAs = await withinTime(saved, SAVE_PATIENCE_MS);
  if (savedAs === undefined) throw new Error("The browser's disk took no file");
  return savedAs;
}

/** Waits for a page's next download. @returns its name; undefined when nothing comes of it. */
function nextDownload(session: CDPSession): Promise<string | undefined> {
  const ended = Promise.withResolvers<string | undefined>();
  let name: string | undefined;
  session.on("Browser.downloadWillBegin", ({ suggestedFilename }) => {
    name = suggestedFilename;
  });
  session.on("Browser.downloadProgress", ({ state }) => {
    if (state !== "inProgress") ended.resolve(state === "completed" ? name : undefined);
  });
  session.once(CDPSessionEvent.Disconnected, () => ended.resolve(undefined));
  return ended.promise;
}
