/** Older browsers lack the methods of `Uint8Array`. */
export function toBase64(bytes: Uint8Array): string {
  if (bytes.toBase64 !== undefined) return bytes.toBase64();
  let binary = "";
  for (let at = 0; at < bytes.length; at += 32_768) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return btoa(binary);
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
