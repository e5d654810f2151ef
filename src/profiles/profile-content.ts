import { type BrowserState, browserStateSchema } from "../browser/index.ts";
import { DecryptionError, decrypt, encrypt } from "../common/encryption.ts";
import { ServiceError } from "../common/errors.ts";

/** Of a text that is written at once. A character that a slice cuts in two is read as one again. */
const SLICE_LENGTH = 1_000_000;

/** Where all contents are in R2. */
export const CONTENT_PREFIX = "profiles/";

/** Where one content of a profile is. Each save has one of its own. */
export function contentKey(organizationId: string, profileId: string, contentId: string): string {
  return `${CONTENT_PREFIX}${organizationId}/${profileId}/${contentId}`;
}

/** What the content with this key is called: its profile's id, a slash, its own. */
export function contentOfKey(key: string): string | undefined {
  return /^[^/]+\/[^/]+\/([^/]+\/[^/]+)$/.exec(key)?.[1];
}

/** A browser's state as it is stored: JSON, compressed and then encrypted for its profile alone. */
export async function sealContent(
  env: Env,
  profileId: string,
  state: BrowserState,
): Promise<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new CompressionStream("gzip");
  const compressed = new Response(readable).bytes();
  await Promise.all([writeJSON(writable, state), compressed]);
  return encrypt(env, contentOwner(profileId), await compressed);
}

/**
 * The JSON of a stored state, in UTF-8.
 *
 * @throws ServiceError 500 when it cannot be decrypted.
 */
export async function openContent(
  env: Env,
  profileId: string,
  sealed: Uint8Array,
): Promise<ReadableStream<Uint8Array>> {
  try {
    const compressed = await decrypt(env, contentOwner(profileId), sealed);
    return new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"));
  } catch (cause) {
    if (!(cause instanceof DecryptionError)) throw cause;
    throw unreadable(cause.message, cause);
  }
}

/**
 * A stored state.
 *
 * @throws ServiceError 500 when it cannot be decrypted, or is none.
 */
export async function readContent(env: Env, profileId: string, sealed: Uint8Array): Promise<BrowserState> {
  const json = await openContent(env, profileId, sealed);
  try {
    return browserStateSchema.parse(await new Response(json).json());
  } catch (cause) {
    throw unreadable("It is no browser's state", cause);
  }
}

function contentOwner(profileId: string): string {
  return `profile:${profileId}`;
}

/** Not at once: the memory of an object does not hold a large state many times over. */
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

function unreadable(why: string, cause: unknown): ServiceError {
  return new ServiceError("internal_error", `The profile's content cannot be read: ${why}`, {
    shouldRetry: false,
    cause,
  });
}
