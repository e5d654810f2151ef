const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const LENGTH = 24;
const MAX_FAIR_BYTE = Math.floor(256 / ALPHABET.length) * ALPHABET.length;

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

export function isIdentifier(text: string): boolean {
  return /^[0-9a-z]{24}$/.test(text);
}
