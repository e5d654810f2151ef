export const MEBIBYTE = 1024 * 1024;

const MEMBER_BYTES = 50 * MEBIBYTE;

export async function compress(
  content: Uint8Array<ArrayBuffer>,
  format: "gzip" | "deflate-raw",
): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = new Blob([content]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

/** About 2 MB of gzip, whose members unpack to 2,000 MiB of zeros, after what `start` unpacks to. */
export async function gzipBomb(
  start: Uint8Array<ArrayBuffer> = new Uint8Array(),
): Promise<Uint8Array<ArrayBuffer>> {
  const member = await compress(new Uint8Array(MEMBER_BYTES), "gzip");
  return new Uint8Array(await new Blob([start, ...Array.from({ length: 40 }, () => member)]).arrayBuffer());
}
