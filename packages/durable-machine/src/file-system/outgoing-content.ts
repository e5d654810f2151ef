import type { TimeSlice } from "../time-slice.ts";
import { CHUNK_BYTES, chunkCount, STEPS_A_CHUNK } from "./contents.ts";
import type { Inode } from "./inodes.ts";
import type { Volume } from "./volume.ts";

/**
 * What a file holds now, chunk by chunk as it is asked for. It stays as it is until the stream's end, or until it is
 * cancelled: one of the two must come.
 */
export function streamContent(volume: Volume, file: Inode, slice: TimeSlice): ReadableStream<Uint8Array> {
  const snapshot = volume.beginReading(file);
  const chunks = chunkCount(file.size);
  let chunk = 0;
  const end = (controller: ReadableByteStreamController) => {
    volume.endReading(snapshot);
    controller.close();
  };
  return new ReadableStream({
    type: "bytes",
    // What a reader without a buffer of its own gets at once; by default it is less than a chunk.
    autoAllocateChunkSize: CHUNK_BYTES,
    start(controller) {
      if (chunks === 0) end(controller);
    },
    async pull(controller) {
      await slice.step(STEPS_A_CHUNK);
      try {
        controller.enqueue(volume.readChunk(snapshot, chunk));
      } catch (error) {
        volume.endReading(snapshot);
        throw error;
      }
      chunk += 1;
      if (chunk === chunks) end(controller);
    },
    cancel() {
      volume.endReading(snapshot);
    },
  });
}
