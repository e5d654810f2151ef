import { gunzip } from "durable-machine/gunzip";

/** More than the service stores in a file. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;

export async function gzip(content: string): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(compressed).arrayBuffer());
}

/** @param bytes one or more gzip members of UTF-8 text. @throws GunzipError for more than 32 MiB of text. */
export async function gunzipText(bytes: Uint8Array): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of gunzip([bytes], MAX_TEXT_BYTES)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
