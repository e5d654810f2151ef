import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { z } from "zod";

const BITS = 16;

interface Reading {
  duration: number;
  /** What the video shows at a time, both in seconds. */
  clocks: { time: number; clock: number }[];
}

/** Makes a page paint the seconds since `window.startedAt` as black and white columns, 100 per second. */
export const PAINT_CLOCK = `
  document.body.innerHTML = "<canvas style='position:fixed;inset:0;width:100vw;height:100vh'></canvas>";
  const context = document.querySelector("canvas").getContext("2d");
  window.startedAt = performance.now();
  const paint = () => {
    const value = Math.floor((performance.now() - startedAt) / 10);
    const { width, height } = context.canvas;
    for (let bit = 0; bit < ${BITS}; bit += 1) {
      context.fillStyle = value & (1 << bit) ? "white" : "black";
      context.fillRect((bit * width) / ${BITS}, 0, width / ${BITS} + 1, height);
    }
    requestAnimationFrame(paint);
  };
  paint();
`;

/** Opens the page of a recording, and seeks its video to the times. */
export async function readClocks(browser: Browser, url: string, times: readonly number[]): Promise<Reading> {
  const page = await browser.newPage();
  try {
    await page.goto(url);
    return await seekVideo(page, times);
  } finally {
    await page.close();
  }
}

function seekVideo(page: Page, times: readonly number[]): Promise<Reading> {
  // A function, because the page's policy does not allow code in strings.
  return page.evaluate(
    async ({ times, bits }) => {
      const MAX_ATTEMPTS = 100;
      const video = document.querySelector("video");
      if (video === null) throw new Error("The page has no video");
      const wait = (name: string) =>
        new Promise((resolve) => video.addEventListener(name, resolve, { once: true }));
      if (video.readyState < 2) await wait("loadeddata");
      const { videoWidth: width, videoHeight: height, duration } = video;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      // After a seek, the video may still show no picture, or the previous one.
      const readFrame = () => {
        try {
          return new VideoFrame(video);
        } catch {
          return undefined;
        }
      };
      const clocks = [];
      for (const time of times) {
        const seeked = wait("seeked");
        video.currentTime = time;
        await seeked;
        for (let attempt = 1; ; attempt += 1) {
          const frame = readFrame();
          const distance = frame === undefined ? Number.POSITIVE_INFINITY : frame.timestamp / 1e6 - time;
          if (frame !== undefined) context?.drawImage(frame, 0, 0);
          frame?.close();
          if (Math.abs(distance) < 1) break;
          if (attempt === MAX_ATTEMPTS) throw new Error(`The video shows no picture of second ${time}`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        let value = 0;
        for (let bit = 0; bit < bits; bit += 1) {
          const [red = 0] = context?.getImageData(((bit + 0.5) * width) / bits, height / 2, 1, 1).data ?? [];
          if (red > 128) value += 2 ** bit;
        }
        clocks.push({ time, clock: value / 100 });
      }
      return { duration, clocks };
    },
    { times, bits: BITS },
  );
}

const probedSchema = z.object({
  format: z.object({ duration: z.coerce.number() }),
  streams: z.array(z.object({ codec_name: z.string(), width: z.number(), height: z.number() })).length(1),
});

export const hasFFmpeg = ["ffprobe", "ffmpeg"].every(
  (program) => spawnSync(program, ["-version"]).status === 0,
);

/** Reads a file with ffprobe, and decodes all of it with ffmpeg. @throws what they complain about. */
export function probeVideo(bytes: Uint8Array) {
  const folder = mkdtempSync(join(tmpdir(), "bt-video-"));
  try {
    const file = join(folder, "video.mp4");
    writeFileSync(file, bytes);
    run("ffmpeg", ["-v", "error", "-i", file, "-f", "rawvideo", "-y", "/dev/null"]);
    const json = run("ffprobe", ["-v", "error", "-show_format", "-show_streams", "-of", "json", file]);
    const { format, streams } = probedSchema.parse(JSON.parse(json));
    return { duration: format.duration, ...streams[0] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0 || stderr !== "") throw new Error(`${program}: ${stderr}`);
  return stdout;
}
