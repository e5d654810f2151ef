import { expect, it } from "vitest";
import { z } from "zod";
import { encodeHead } from "../../../src/features/recordings/mp4.ts";
import { encodeSamples } from "../../../src/features/recordings/samples.ts";
import { concatenate } from "../../../src/lib/common/concatenate.ts";
import { nameColor, playVideo, RecordedSession } from "./recorded-session.ts";

const WIDTH = 320;
const HEIGHT = 240;

const encodedSchema = z.object({
  description: z.string(),
  data: z.string(),
  samples: z.array(z.object({ time: z.number(), size: z.number(), isKey: z.boolean() })),
});

/** Encodes a red, a lime and a blue picture at 0, 1 and 31 seconds in the browser. */
function encodeColors(codec: string): string {
  return `(async () => {
    const chunks = [];
    let description = new Uint8Array();
    const encoder = new VideoEncoder({
      output: (chunk, { decoderConfig } = {}) => {
        chunks.push(chunk);
        if (decoderConfig?.description) description = new Uint8Array(decoderConfig.description);
      },
      error: (error) => { throw error; },
    });
    encoder.configure({ codec: "${codec}", width: ${WIDTH}, height: ${HEIGHT}, avc: { format: "avc" } });
    const context = new OffscreenCanvas(${WIDTH}, ${HEIGHT}).getContext("2d");
    for (const [time, color] of [[0, "red"], [1000, "lime"], [31000, "blue"]]) {
      context.fillStyle = color;
      context.fillRect(0, 0, ${WIDTH}, ${HEIGHT});
      const frame = new VideoFrame(context.canvas, { timestamp: time * 1000 });
      encoder.encode(frame, { keyFrame: time !== 1000 });
      frame.close();
    }
    await encoder.flush();
    const samples = chunks.map((chunk) => (
      { time: chunk.timestamp / 1000, size: chunk.byteLength, isKey: chunk.type === "key" }
    ));
    const data = chunks.map((chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      return String.fromCharCode(...bytes);
    });
    return { samples, data: btoa(data.join("")), description: btoa(String.fromCharCode(...description)) };
  })()`;
}

it.each(["avc1.42e01e", "vp09.00.10.08"])("makes files of %s that <video> plays and seeks", async (codec) => {
  const encoding = await RecordedSession.create();
  // WebCodecs needs a secure origin.
  await encoding.devTools.openSecurePage();
  const { samples, data, description } = encodedSchema.parse(
    await encoding.devTools.evaluate(encodeColors(codec)),
  );
  await encoding.end();
  const head = encodeHead(
    { codec, description, width: WIDTH, height: HEIGHT },
    encodeSamples(samples),
    40_000,
  );
  const file = concatenate([head, Uint8Array.fromBase64(data)]);
  const { colors, ...played } = await playVideo(file, [20, 0.5, 39.9]);
  expect(played).toEqual({ duration: 40, width: WIDTH, height: HEIGHT });
  expect(colors.map(nameColor)).toEqual(["lime", "red", "blue"]);
});

it("has a head of 12 bytes per picture at most, for hours of video", () => {
  const samples = Array.from({ length: 90_000 }, (_, index) => ({
    time: 40 * index + (index % 7),
    size: 5_000_000 + index,
    isKey: index % 125 === 0,
  }));
  const format = { codec: "avc1.42e01e", description: "", width: WIDTH, height: HEIGHT };
  const head = encodeHead(format, encodeSamples(samples), 3_600_000);
  expect(head.length).toBeLessThan(12 * samples.length + 5000);
  const mediaSize = samples.reduce((sum, { size }) => sum + size, 16);
  expect(Number(new DataView(head.buffer).getBigUint64(head.length - 8))).toBe(mediaSize);
});
