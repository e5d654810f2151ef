const MIN_TOKEN_BYTES = 32;

const SCHEME = /^bearer (.+)$/i;

/**
 * Compares in constant time, by hashes, which also hides the length of the expected token.
 *
 * @param header the Authorization header.
 * @param expected the token; nothing is authorized if it has less than 32 bytes.
 */
export async function isAuthorized(header: string | null, expected: string | undefined): Promise<boolean> {
  const given = SCHEME.exec(header ?? "")?.[1];
  if (given === undefined || expected === undefined) return false;
  if (new TextEncoder().encode(expected).length < MIN_TOKEN_BYTES) return false;
  const [left, right] = await Promise.all([sha256(given), sha256(expected)]);
  return crypto.subtle.timingSafeEqual(left, right);
}

function sha256(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}
