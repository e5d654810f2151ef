/** The platform gives no more random bytes than this at once. */
const MAX_RANDOM_BYTES = 64 * 1024;

/** A random number, each as likely, from 0 to below `limit`, which is at most 2^32. */
export function randomBelow(limit: number): number {
  const numbers = new Uint32Array(1);
  // Numbers above the last whole multiple would make the lower ones likelier.
  const end = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const [number = 0] = crypto.getRandomValues(numbers);
    if (number < end) return number % limit;
  }
}

export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let start = 0; start < length; start += MAX_RANDOM_BYTES) {
    crypto.getRandomValues(bytes.subarray(start, start + MAX_RANDOM_BYTES));
  }
  return bytes;
}
