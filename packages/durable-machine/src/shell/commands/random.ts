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
