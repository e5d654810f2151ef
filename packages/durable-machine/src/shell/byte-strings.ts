/** Characters that are made of bytes at once: more of them would not fit a call. */
const PIECE_LENGTH = 32 * 1024;

const encoder = new TextEncoder();

/** Bytes as the interpreter holds them: a character each. */
export function toByteString(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE_LENGTH) {
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + PIECE_LENGTH));
  }
  return text;
}

/** The bytes of a string that has a character for each; undefined: it has other characters. */
export function fromByteString(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0xff) return undefined;
    bytes[index] = code;
  }
  return bytes;
}

/** What the interpreter writes to a file. It calls text bytes where its beginning is plain ASCII. */
export function writtenBytes(content: string | Uint8Array, encoding: string | undefined): Uint8Array {
  if (typeof content !== "string") return content;
  const isBytes = encoding === "binary" || encoding === "latin1";
  return (isBytes ? fromByteString(content) : undefined) ?? encoder.encode(content);
}

export function resultBytes(result: {
  stdout: string;
  stdoutKind?: string;
  stdoutEncoding?: string;
}): Uint8Array {
  const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
  return writtenBytes(result.stdout, isBytes ? "binary" : "utf8");
}
