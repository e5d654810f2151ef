import { expect } from "vitest";
import { z } from "zod";
import { recordingSchema } from "../../../src/api/recordings/schema.ts";
import type { SessionBody } from "../../../src/features/sessions/session-schema.ts";
import { type Client, newClient, type TestResponse } from "../../api.ts";
import { DevTools } from "../../devtools.ts";

const VIEWPORT = { width: 1024, height: 768 };

const playedSchema = z.object({
  duration: z.number(),
  width: z.number(),
  height: z.number(),
  colors: z.array(z.array(z.number())),
});

/** A session of a real Chromium, with a client that paints its page. */
export class RecordedSession {
  readonly client: Client;
  readonly session: SessionBody;
  devTools: DevTools;

  private constructor(client: Client, session: SessionBody, devTools: DevTools) {
    this.client = client;
    this.session = session;
    this.devTools = devTools;
  }

  static async create(options: object = {}, client?: Client): Promise<RecordedSession> {
    const owner = client ?? (await newClient());
    const session = await owner.createSession({ timeout_seconds: 600, viewport: VIEWPORT, ...options });
    const devTools = await DevTools.connect(session.cdp_ws_url);
    await devTools.openPage();
    return new RecordedSession(owner, session, devTools);
  }

  get path(): string {
    return `/browsers/${this.session.session_id}/replays`;
  }

  async start(options: object = {}): Promise<string> {
    return (await this.client.post(this.path, options)).read(recordingSchema).replay_id;
  }

  async stop(id: string): Promise<void> {
    const answer = await this.client.post(`${this.path}/${id}/stop`);
    expect(answer.status, answer.text).toBe(204);
  }

  download(id: string, range?: string): Promise<TestResponse> {
    return this.client.get(`${this.path}/${id}`, { headers: range === undefined ? {} : { range } });
  }

  async list() {
    return (await this.client.get(this.path)).read(z.array(recordingSchema));
  }

  async describe(id: string) {
    const recording = (await this.list()).find(({ replay_id }) => replay_id === id);
    if (recording === undefined) throw new Error(`There is no recording ${id}`);
    const seconds = (Date.parse(recording.finished_at ?? "") - Date.parse(recording.started_at)) / 1000;
    return { ...recording, seconds };
  }

  /** Lets real time pass in the recording. */
  async pause(milliseconds: number): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
  }

  /** Shows a colour of CSS for a time in real milliseconds. */
  async paint(color: string, milliseconds: number): Promise<void> {
    await this.devTools.evaluate(`new Promise((resolve) => {
      document.body.style.background = "${color}";
      setTimeout(resolve, ${milliseconds}, true);
    })`);
  }

  async end(): Promise<void> {
    this.devTools.close();
    await this.client.delete(`/browsers/${this.session.session_id}`);
  }
}

/** Plays a video in Chromium's <video>, and reads the colour in the middle of the picture at some times. */
export async function playVideo(bytes: Uint8Array, times: readonly number[], at = [0.5, 0.5]) {
  const player = await RecordedSession.create();
  try {
    // The page reads it as a file, so <video> can seek in it.
    const played = await player.devTools.evaluate(`(async () => {
      const video = document.createElement("video");
      const bytes = Uint8Array.from(atob("${Buffer.from(bytes).toString("base64")}"), (char) => char.charCodeAt(0));
      video.src = URL.createObjectURL(new Blob([bytes], { type: "video/mp4" }));
      const wait = (name) => new Promise((resolve, reject) => {
        video.addEventListener(name, resolve, { once: true });
        video.onerror = () => reject(new Error(video.error.message));
      });
      const wasShown = () => new Promise((resolve) => video.requestVideoFrameCallback(resolve));
      const first = wasShown();
      document.body.append(video);
      await Promise.all([wait("loadeddata"), first]);
      const { duration, videoWidth: width, videoHeight: height } = video;
      const context = new OffscreenCanvas(width, height).getContext("2d");
      const colors = [];
      for (const time of ${JSON.stringify(times)}) {
        // After a seek, the picture is shown a little later.
        const shown = wasShown();
        const seeked = wait("seeked");
        video.currentTime = time;
        await Promise.all([seeked, shown]);
        context.drawImage(video, 0, 0);
        colors.push([...context.getImageData(width * ${at[0]}, height * ${at[1]}, 1, 1).data].slice(0, 3));
      }
      return { duration, width, height, colors };
    })()`);
    return playedSchema.parse(played);
  } finally {
    await player.end();
  }
}

const COLORS = {
  red: [255, 0, 0],
  lime: [0, 255, 0],
  blue: [0, 0, 255],
  white: [255, 255, 255],
  black: [0, 0, 0],
};

/** The nearest named colour, because encoding changes colours a little. */
export function nameColor(color: readonly number[]): string | undefined {
  const distance = (other: readonly number[]) =>
    other.reduce((sum, value, index) => sum + Math.abs(value - (color[index] ?? 0)), 0);
  return Object.entries(COLORS).find(([, other]) => distance(other) < 90)?.[0];
}
