import { WorkerEntrypoint } from "cloudflare:workers";
import { STREAM_BYTES } from "./checks/streams.ts";

const CHUNK_BYTES = 100_000;

/** Answers with a long stream, for a check. */
export class ProbeStream extends WorkerEntrypoint<Env> {
  override fetch(): Response {
    let left = STREAM_BYTES;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new Uint8Array(CHUNK_BYTES));
      left -= CHUNK_BYTES;
      if (left === 0) controller.close();
    };
    return new Response(new ReadableStream({ pull }));
  }
}
