const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const LENGTH = 24;
const MAX_FAIR_BYTE = Math.floor(256 / ALPHABET.length) * ALPHABET.length;

/** A new random identifier: 24 lower-case letters and digits, 124 bits. */
export function newIdentifier(): string {
  let identifier = "";
  while (identifier.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH * 2))) {
      if (byte < MAX_FAIR_BYTE && identifier.length < LENGTH) {
        identifier += ALPHABET.charAt(byte % ALPHABET.length);
      }
    }
  }
  return identifier;
}

/** Whether a path segment has the form of an identifier. A name may have it too, and then never wins over one. */
export function isIdentifier(text: string): boolean {
  return /^[0-9a-z]{24}$/.test(text);
}
