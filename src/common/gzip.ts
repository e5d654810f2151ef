export function gzip(content: string): Promise<Uint8Array<ArrayBuffer>> {
  return transform(content, new CompressionStream("gzip"));
}

/** @param bytes one or more gzip members of UTF-8 text. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new TextDecoder().decode(await transform(bytes, new DecompressionStream("gzip")));
}

async function transform(
  content: string | Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const transformed = new Blob([content]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(transformed).arrayBuffer());
}
