/** The most arguments a call can take. */
const MAX_ARGUMENTS = 32 * 1024;

const encoder = new TextEncoder();

/** Bytes as the interpreter represents them: one character each. */
export function toByteString(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += MAX_ARGUMENTS) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + MAX_ARGUMENTS));
  }
  return text;
}

export function fromByteString(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0xff) return undefined;
    bytes[index] = code;
  }
  return bytes;
}

/** What the interpreter writes to a file. It treats text as bytes if it starts with plain ASCII. */
export function writtenBytes(content: string | Uint8Array, encoding: string | undefined): Uint8Array {
  if (typeof content !== "string") return content;
  const isBytes = encoding === "binary" || encoding === "latin1";
  return (isBytes ? fromByteString(content) : undefined) ?? encoder.encode(content);
}

export function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.length;
  }
  return bytes;
}
