import { gunzip } from "durable-machine/gunzip";
import { toLazyStream } from "durable-machine/lazy-stream";
import { DecryptionError, decrypt, encrypt } from "../../lib/common/encryption.ts";
import { ServiceError } from "../../lib/common/errors.ts";
import { type BrowserState, browserStateSchema } from "../../platform/browser/index.ts";

/** A surrogate pair that is cut in two is escaped as two JSON escapes, which are read as one character. */
const SLICE_LENGTH = 1_000_000;

/** A browser's state, whose quotes may be escaped twice. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

export const CONTENT_PREFIX = "profiles/";

export function contentKey(organizationId: string, profileId: string, contentId: string): string {
  return `${CONTENT_PREFIX}${organizationId}/${profileId}/${contentId}`;
}

/** @returns `<profile id>/<content id>`. */
export function contentNameOf(key: string): string | undefined {
  return /^[^/]+\/[^/]+\/([^/]+\/[^/]+)$/.exec(key)?.[1];
}

/** Encodes as JSON, compresses, and encrypts for this profile alone. */
export async function encryptContent(
  env: Env,
  profileId: string,
  state: BrowserState,
): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new CompressionStream("gzip");
  const compressed = new Response(readable).bytes();
  await Promise.all([writeJSON(writable, state), compressed]);
  return encrypt(env, contentOwner(profileId), await compressed);
}

/** @returns the JSON. @throws ServiceError 500 if the content cannot be decrypted. */
export async function decryptContent(
  env: Env,
  profileId: string,
  encrypted: Uint8Array,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const compressed = await decrypt(env, contentOwner(profileId), encrypted);
    return toLazyStream(gunzip([compressed], MAX_JSON_BYTES));
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause;
    throw unreadableContent(cause.message, cause);
  }
}

export async function readContent(env: Env, profileId: string, encrypted: Uint8Array): Promise<BrowserState> {
  const json = await decryptContent(env, profileId, encrypted);
  try {
    return browserStateSchema.parse(await new Response(json).json());
  } catch (cause) {
    throw malformedContent(cause);
  }
}

export function malformedContent(cause: unknown): ServiceError {
  return unreadableContent("It is not a browser state", cause);
}

function contentOwner(profileId: string): string {
  return `profile:${profileId}`;
}

/** Writes in slices, because several copies of a large state do not fit in the memory of a Durable Object. */
async function writeJSON(writable: WritableStream<Uint8Array>, state: BrowserState): Promise<void> {
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const write = (text: string) => writer.write(encoder.encode(text));
  const { origins, ...rest } = state;
  await write(`${JSON.stringify(rest).slice(0, -1)},"origins":[`);
  for (const [index, { origin, storage }] of origins.entries()) {
    await write(`${index === 0 ? "" : ","}{"origin":${JSON.stringify(origin)},"storage":"`);
    for (let from = 0; from < storage.length; from += SLICE_LENGTH) {
      await write(JSON.stringify(storage.slice(from, from + SLICE_LENGTH)).slice(1, -1));
    }
    await write('"}');
  }
  await write("]}");
  await writer.close();
}

function unreadableContent(why: string, cause: unknown): ServiceError {
  return new ServiceError("internal_error", `The profile's content cannot be read: ${why}`, {
    shouldRetry: false,
    cause,
  });
}
