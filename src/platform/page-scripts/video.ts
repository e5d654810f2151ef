import { fromBase64, toBase64 } from "./base64.ts";
import { drawDialog } from "./draw-picture.ts";
import type { VideoEncoding, VideoSize } from "./video-encoding.ts";

const KEY_INTERVAL_MS = 5000;
const BITS_PER_PIXEL = 0.08;

/** At lower rates, key frames and changes of the whole page take as many bits. */
const MIN_RATE_OF_BITS = 10;

const MAX_QUEUED = 1;

/** Encoders exceed their bitrate when pictures compress badly. Above this rate there are fewer pictures. */
const MAX_BYTES_PER_MS = 1000;

/** How much may come at once, as when the whole page changes. */
const MAX_BURST_BYTES = 1_000_000;

/** The last number is the level, which limits the size; the largest session has 2560x1440. */
const CODECS = ["avc1.640033", "avc1.42e033", "vp09.00.50.08"];

/** Opens an encoder of the first codec that works in the browser. @throws when none does. */
export async function encodeVideo({ width, height, framerate }: VideoSize): Promise<VideoEncoding> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { alpha: false });
  if (context === null) throw new Error("The page cannot draw");
  const bitrate = Math.round(width * height * Math.max(framerate, MIN_RATE_OF_BITS) * BITS_PER_PIXEL);
  /** Encoded bytes beyond MAX_BYTES_PER_MS. */
  let excess = 0;
  let drawnAt = 0;
  let image: ImageBitmap | undefined;
  let lastKeyAt = Number.NEGATIVE_INFINITY;
  let description = "";
  let chunks: EncodedVideoChunk[] = [];

  const open = (codec: string) => {
    const encoder = new VideoEncoder({
      output: (chunk, metadata) => {
        chunks.push(chunk);
        excess += chunk.byteLength;
        const configuration = metadata?.decoderConfig?.description;
        if (configuration !== undefined) description = toBase64(toBytes(configuration));
      },
      // Later calls of the encoder also fail.
      error: () => undefined,
    });
    encoder.configure({
      codec,
      width,
      height,
      framerate,
      bitrate,
      latencyMode: "realtime",
      avc: { format: "avc" },
    });
    return encoder;
  };
  const encode = (encoder: VideoEncoder, time: number, keyFrame: boolean) => {
    const frame = new VideoFrame(canvas, { timestamp: time * 1000 });
    try {
      encoder.encode(frame, { keyFrame });
    } finally {
      frame.close();
    }
  };
  // Some browsers claim codecs that fail with the first picture.
  const works = async (codec: string) => {
    const encoder = open(codec);
    try {
      encode(encoder, 0, true);
      await encoder.flush();
      encoder.close();
      return chunks.length > 0;
    } catch {
      return false;
    }
  };
  let codec: string | undefined;
  for (const candidate of CODECS) if (codec === undefined && (await works(candidate))) codec = candidate;
  if (codec === undefined) throw new Error("The browser cannot encode video");
  chunks = [];
  excess = 0;
  const encoder = open(codec);

  return {
    async draw(time, picture, pageWidth, dialog) {
      if (picture !== undefined) {
        image?.close();
        image = await createImageBitmap(new Blob([fromBase64(picture)], { type: "image/jpeg" }));
      }
      context.reset();
      if (image !== undefined) {
        const fit = Math.min(width / image.width, height / image.height);
        context.translate((width - image.width * fit) / 2, (height - image.height * fit) / 2);
        context.scale(fit, fit);
        context.drawImage(image, 0, 0);
        context.scale(image.width / pageWidth, image.width / pageWidth);
        if (dialog !== undefined) drawDialog(context, dialog);
      }
      const isKey = time - lastKeyAt >= KEY_INTERVAL_MS;
      if (isKey) lastKeyAt = time;
      encode(encoder, time, isKey);
      while (encoder.encodeQueueSize > MAX_QUEUED) {
        await new Promise((resolve) => encoder.addEventListener("dequeue", resolve, { once: true }));
      }
      excess = Math.max(0, excess - (time - drawnAt) * MAX_BYTES_PER_MS);
      drawnAt = time;
      return Math.max(0, (excess - MAX_BURST_BYTES) / MAX_BYTES_PER_MS);
    },
    async take() {
      await encoder.flush();
      const taken = chunks;
      chunks = [];
      const bytes = new Uint8Array(taken.reduce((sum, { byteLength }) => sum + byteLength, 0));
      let offset = 0;
      for (const chunk of taken) {
        chunk.copyTo(bytes.subarray(offset));
        offset += chunk.byteLength;
      }
      const samples = taken.map(({ timestamp, byteLength, type }) => ({
        time: Math.round(timestamp / 1000),
        size: byteLength,
        isKey: type === "key",
      }));
      return { codec, description, samples, data: toBase64(bytes) };
    },
  };
}

function toBytes(source: AllowSharedBufferSource): Uint8Array {
  if (!ArrayBuffer.isView(source)) return new Uint8Array(source);
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
}
