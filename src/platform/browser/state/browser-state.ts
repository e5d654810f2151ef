import { z } from "zod";
import { resolveWithin } from "../../../lib/common/concurrency.ts";
import {
  collectStorage,
  readStoragePiece,
  restoreStorage,
  writeStoragePiece,
} from "../../page-scripts/bundled.js";
import type { HelperPage } from "../connection/helper-page.ts";
import type { Connection } from "../connection/puppeteer.ts";
import { cookieSchema, readCookies, writeCookies } from "./browser-cookies.ts";
import { visitOrigins } from "./origin-pages.ts";

export const MAX_STATE_BYTES = 24 * 1024 * 1024;

const ORIGIN_TIMEOUT_MS = 10_000;

/** A browser closes a connection over an answer of 32 MiB. */
const PIECE_LENGTH = 256 * 1024;

export const browserStateSchema = z.object({
  version: z.literal(1),
  cookies: z.array(cookieSchema),
  origins: z.array(
    z.object({
      origin: z.string(),
      storage: z.string(),
    }),
  ),
  skipped: z.int(),
});

export type BrowserState = z.infer<typeof browserStateSchema>;

interface BrowserStateScope {
  browserContextId?: string;
}

const collectedSchema = z.object({ length: z.int(), skipped: z.int() });

export async function collectBrowserState(
  connection: Connection,
  options: BrowserStateScope & { origins: readonly string[]; timeLimitMs?: number },
): Promise<BrowserState> {
  const { browserContextId, timeLimitMs = ORIGIN_TIMEOUT_MS } = options;
  const cookies = await readCookies(connection, browserContextId);
  const state: BrowserState = { version: 1, cookies, origins: [], skipped: 0 };
  let room = MAX_STATE_BYTES - byteLength(JSON.stringify(cookies));

  const collect = async (page: HelperPage, origin: string) => {
    const collecting = page.call(collectStorage, { origin, limit: MAX_STATE_BYTES });
    const { length, skipped } = collectedSchema.parse(await withTimeout(collecting, timeLimitMs));
    if (length > room) throw tooLarge();
    let storage = "";
    while (storage.length < length) {
      const piece = await page.call(readStoragePiece, { from: storage.length, length: PIECE_LENGTH });
      storage += piece;
      room -= byteLength(piece);
      if (room < 0) throw tooLarge();
    }
    state.skipped += skipped;
    if (length > 0) state.origins.push({ origin, storage });
  };
  await visitOrigins(connection, { browserContextId, origins: options.origins }, (page, origin) =>
    withErrorPrefix(`The storage of ${origin} could not be read`, () => collect(page, origin)),
  );
  return state;
}

export async function restoreBrowserState(
  connection: Connection,
  state: BrowserState,
  browserContextId?: string,
  { timeLimitMs = ORIGIN_TIMEOUT_MS }: { timeLimitMs?: number } = {},
): Promise<{ refusedCookies: string[] }> {
  const refusedCookies = await writeCookies(connection, state.cookies, browserContextId);
  const storages = new Map(state.origins.map(({ origin, storage }) => [origin, storage]));
  const restore = async (page: HelperPage, origin: string) => {
    for (const piece of toPieces(storages.get(origin) ?? "")) await page.call(writeStoragePiece, piece);
    await withTimeout(page.call(restoreStorage, { origin }), timeLimitMs);
  };
  await visitOrigins(connection, { browserContextId, origins: [...storages.keys()] }, (page, origin) =>
    withErrorPrefix(`The storage of ${origin} could not be restored`, () => restore(page, origin)),
  );
  return { refusedCookies };
}

/** Never splits a surrogate pair. */
function* toPieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const piece = text.slice(from, from + PIECE_LENGTH);
    const whole = /[\uD800-\uDBFF]$/.test(piece) && piece.length > 1 ? piece.slice(0, -1) : piece;
    yield whole;
    from += whole.length;
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooLarge(): Error {
  return new Error(`The browser keeps more than ${MAX_STATE_BYTES / 1024 / 1024} MiB`);
}

async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const done = await resolveWithin(
    work.then((result) => ({ result })),
    limitMs,
  );
  if (done !== undefined) return done.result;
  throw new Error(`It did not answer within ${limitMs} ms; a page may hold one of its databases`);
}

async function withErrorPrefix<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
