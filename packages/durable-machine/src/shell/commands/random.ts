/** The platform gives at most this many random bytes at once. */
const MAX_RANDOM_BYTES = 64 * 1024;

export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += MAX_RANDOM_BYTES) {
    crypto.getRandomValues(bytes.subarray(start, start + MAX_RANDOM_BYTES));
  }
  return bytes;
}
