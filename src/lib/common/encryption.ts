import { sha256 } from "./hash.ts";

const ALGORITHM = "AES-GCM";

const KEY_ID_LENGTH = 8;
const NONCE_BYTES = 12;

type EncryptionSecrets = Pick<Env, "ENCRYPTION_KEY" | "ENCRYPTION_KEY_PREVIOUS">;

export class DecryptionError extends Error {
  override readonly name = "DecryptionError";
}

/** Encrypts with AES-GCM, bound to `owner`, such as `proxy:<id>`: decrypted for the same owner only. */
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

/** @throws DecryptionError */
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
    throw new DecryptionError("The stored content cannot be decrypted", { cause });
  }
}

export async function encryptText(env: EncryptionSecrets, owner: string, text: string): Promise<string> {
  return (await encrypt(env, owner, new TextEncoder().encode(text))).toBase64();
}

export async function decryptText(env: EncryptionSecrets, owner: string, sealed: string): Promise<string> {
  return new TextDecoder().decode(await decrypt(env, owner, Uint8Array.fromBase64(sealed)));
}

async function findKey(env: EncryptionSecrets, id: string): Promise<CryptoKey> {
  for (const secret of [env.ENCRYPTION_KEY, env.ENCRYPTION_KEY_PREVIOUS]) {
    const candidate = secret ? await importKey(secret) : undefined;
    if (candidate?.id === id) return candidate.key;
  }
  throw new DecryptionError(
    "The key of the stored content is missing (ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS)",
  );
}

async function importKey(secret: string): Promise<{ id: string; key: CryptoKey }> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(secret));
  const key = await crypto.subtle.importKey("raw", digest, ALGORITHM, false, ["encrypt", "decrypt"]);
  return { id: (await sha256(`key id of ${secret}`)).slice(0, KEY_ID_LENGTH), key };
}

function toParameters(owner: string, nonce: Uint8Array) {
  return { name: ALGORITHM, iv: nonce, additionalData: new TextEncoder().encode(owner) };
}
