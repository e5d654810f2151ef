import { sha256 } from "./hash.ts";

const ALGORITHM = "AES-GCM";

/** Of the key id that each ciphertext begins with, in hexadecimal digits, and of the nonce after it, in bytes. */
const KEY_ID_LENGTH = 8;
const NONCE_BYTES = 12;

/** The secrets of `env` that encrypt what is stored. */
type EncryptionSecrets = Pick<Env, "ENCRYPTION_KEY" | "ENCRYPTION_KEY_PREVIOUS">;

/** Stored content cannot be decrypted: its key is gone, it was changed, or it belongs to something else. */
export class DecryptionError extends Error {
  override readonly name = "DecryptionError";
}

/**
 * Encrypts bytes under ENCRYPTION_KEY.
 *
 * @param owner what they belong to, such as `proxy:<id>`: they are decrypted for that only.
 * @returns the key's id, a nonce, and the ciphertext.
 */
export async function encrypt(
  env: EncryptionSecrets,
  owner: string,
  content: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const { id, key } = await importKey(env.ENCRYPTION_KEY);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const ciphertext = await crypto.subtle.encrypt(toParameters(owner, nonce), key, content);
  const sealed = new Uint8Array(KEY_ID_LENGTH + NONCE_BYTES + ciphertext.byteLength);
  sealed.set(new TextEncoder().encode(id));
  sealed.set(nonce, KEY_ID_LENGTH);
  sealed.set(new Uint8Array(ciphertext), KEY_ID_LENGTH + NONCE_BYTES);
  return sealed;
}

/**
 * The bytes that {@link encrypt} was given, for the same owner.
 *
 * @throws DecryptionError
 */
export async function decrypt(
  env: EncryptionSecrets,
  owner: string,
  sealed: Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const key = await findKey(env, new TextDecoder().decode(sealed.subarray(0, KEY_ID_LENGTH)));
  const nonce = sealed.subarray(KEY_ID_LENGTH, KEY_ID_LENGTH + NONCE_BYTES);
  try {
    const ciphertext = sealed.subarray(KEY_ID_LENGTH + NONCE_BYTES);
    return new Uint8Array(await crypto.subtle.decrypt(toParameters(owner, nonce), key, ciphertext));
  } catch (cause) {
    throw new DecryptionError("The stored content was changed", { cause });
  }
}

/** {@link encrypt} for texts, as base64. */
export async function encryptText(env: EncryptionSecrets, owner: string, text: string): Promise<string> {
  return (await encrypt(env, owner, new TextEncoder().encode(text))).toBase64();
}

/** {@link decrypt} for what {@link encryptText} made. @throws DecryptionError */
export async function decryptText(env: EncryptionSecrets, owner: string, sealed: string): Promise<string> {
  return new TextDecoder().decode(await decrypt(env, owner, Uint8Array.fromBase64(sealed)));
}

async function findKey(env: EncryptionSecrets, id: string): Promise<CryptoKey> {
  for (const secret of [env.ENCRYPTION_KEY, env.ENCRYPTION_KEY_PREVIOUS]) {
    const candidate = secret ? await importKey(secret) : undefined;
    if (candidate?.id === id) return candidate.key;
  }
  throw new DecryptionError(
    "The key that this was encrypted with is not there any more (ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS)",
  );
}

/** The key, and an id that tells it from others without telling anything of it. */
async function importKey(secret: string): Promise<{ id: string; key: CryptoKey }> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  const key = await crypto.subtle.importKey("raw", digest, ALGORITHM, false, ["encrypt", "decrypt"]);
  return { id: (await sha256(`key id of ${secret}`)).slice(0, KEY_ID_LENGTH), key };
}

function toParameters(owner: string, nonce: Uint8Array) {
  return { name: ALGORITHM, iv: nonce, additionalData: new TextEncoder().encode(owner) };
}
