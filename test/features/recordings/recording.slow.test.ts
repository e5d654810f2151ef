import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { closeBrowser } from "../../../src/platform/browser/index.ts";
import { DevTools } from "../../devtools.ts";
import { readRecord, restart, restartBroker, runAlarm, waitUntilEnded } from "../../objects.ts";
import { useDelayedFiles } from "../apps/delayed-files.ts";
import { nameColor, playVideo, RecordedSession } from "./recorded-session.ts";

const SECOND = 1000;

afterEach(async () => {
  vi.useRealTimers();
  // It may have read the platform's limits at a later time.
  await restartBroker();
});

describe("a recording", () => {
  let recorded: RecordedSession;

  beforeAll(async () => {
    recorded = await RecordedSession.create();
  });
  afterAll(() => recorded.end());

  it("shows another tab that comes to the front, and lists the pages as chapters", async () => {
    await recorded.paint("red", 0);
    const id = await recorded.start();
    await recorded.paint("red", SECOND);
    const { result } = await recorded.devTools.send("Target.createTarget", {
      url: "data:text/html,<title>second</title><body style='background:lime'>",
    });
    await recorded.paint("red", SECOND);
    await recorded.devTools.send("Target.closeTarget", { targetId: result?.targetId });
    await recorded.paint("red", SECOND);
    await recorded.stop(id);
    const { seconds } = await recorded.describe(id);
    const { bytes } = await recorded.download(id);
    const { colors } = await playVideo(bytes, [0.5, 1.9, seconds - 0.2]);
    expect(colors.map(nameColor)).toEqual(["red", "lime", "red"]);
    const chapters = await recorded.client.get(`${recorded.path}/${id}/chapters`);
    expect(chapters.headers.get("content-type")).toMatch(/^text\/vtt/);
    expect(chapters.text).toMatch(/^WEBVTT\n\n00:00:00/);
    expect(chapters.text).toContain("second (data:…)");
  });

  it("letterboxes a page of another size", async () => {
    const id = await recorded.start();
    const { session_id } = recorded.session;
    const resized = { width: 1440, height: 900 };
    expect((await recorded.client.patch(`/browsers/${session_id}`, { viewport: resized })).status).toBe(200);
    // A slow browser needs seconds for the first picture of another size.
    await recorded.paint("lime", 5 * SECOND);
    await recorded.stop(id);
    const viewport = { width: 1024, height: 768 };
    await recorded.client.patch(`/browsers/${session_id}`, { viewport });
    const { seconds } = await recorded.describe(id);
    const { bytes } = await recorded.download(id);
    const top = await playVideo(bytes, [seconds - 0.2], [0.5, 0.01]);
    const middle = await playVideo(bytes, [seconds - 0.2]);
    expect(middle).toMatchObject(viewport);
    expect([...top.colors, ...middle.colors].map(nameColor)).toEqual(["black", "lime"]);
  });

  it("shows a dialog of the page", async () => {
    await recorded.paint("lime", 0);
    const id = await recorded.start();
    await recorded.paint("lime", SECOND);
    const answered = recorded.devTools.evaluate("alert('hello'), true");
    await recorded.pause(1.5 * SECOND);
    await recorded.client.post(`/browsers/${recorded.session.session_id}/computer/press_key`, {
      keys: ["Return"],
    });
    await answered;
    await recorded.paint("lime", 1.5 * SECOND);
    await recorded.stop(id);
    const { seconds } = await recorded.describe(id);
    const { bytes } = await recorded.download(id);
    const { colors } = await playVideo(bytes, [0.5, 1.9, seconds - 0.2], [0.5, 0.02]);
    expect(colors.map(nameColor)).toEqual(["lime", "white", "lime"]);
  });

  it("runs beside others, each with its own end", async () => {
    const first = await recorded.start({ framerate: 25 });
    const second = await recorded.start({ max_duration_in_seconds: 2 });
    await recorded.paint("red", 3 * SECOND);
    await expect.poll(async () => (await recorded.describe(second)).finished_at).not.toBeNull();
    expect(await recorded.describe(first)).toMatchObject({ finished_at: null, note: null });
    await recorded.stop(first);
    const { seconds, note } = await recorded.describe(second);
    expect(note).toBeNull();
    expect(seconds).toBeCloseTo(2, 0);
    expect((await recorded.describe(first)).seconds).toBeGreaterThan(3);
    const limit = await Promise.all(Array.from({ length: 5 }, () => recorded.client.post(recorded.path, {})));
    expect(limit.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 429]);
    for (const { replay_id, finished_at } of await recorded.list()) {
      if (finished_at === null) await recorded.stop(replay_id);
    }
  });

  it("of a page that floods the screen stays small, and the session answers", async () => {
    await recorded.devTools.evaluate(`(() => {
      document.body.innerHTML = "<canvas width=1024 height=768 style='position:fixed;inset:0'></canvas>";
      const context = document.querySelector("canvas").getContext("2d");
      const noise = context.createImageData(1024, 768);
      const pixels = new Uint32Array(noise.data.buffer);
      const paint = () => {
        for (let index = 0; index < pixels.length; index += 1) pixels[index] = Math.random() * 2 ** 32;
        context.putImageData(noise, 0, 0);
        window.frame = requestAnimationFrame(paint);
      };
      paint();
      document.title = "x".repeat(1_000_000);
      return true;
    })()`);
    const id = await recorded.start({ framerate: 25 });
    await recorded.pause(4 * SECOND);
    expect((await recorded.devTools.send("Browser.getVersion")).result).toHaveProperty("product");
    await recorded.devTools.evaluate("cancelAnimationFrame(frame), document.body.innerHTML = '', true");
    await recorded.stop(id);
    const { seconds, note } = await recorded.describe(id);
    const { bytes } = await recorded.download(id);
    expect(note).toBeNull();
    // The pictures of the screencast have ten times as many.
    expect(bytes.length / seconds).toBeLessThan(1_500_000);
    expect((await playVideo(bytes, [1])).duration).toBeCloseTo(seconds, 1);
  });
});

describe("the end of a session", () => {
  it("ends its recordings, which stay available", async () => {
    const recorded = await RecordedSession.create();
    await recorded.paint("lime", 0);
    const id = await recorded.start();
    await recorded.pause(SECOND);
    await recorded.end();
    await expect.poll(async () => (await recorded.describe(id)).finished_at).not.toBeNull();
    const { colors } = await playVideo((await recorded.download(id)).bytes, [0.9]);
    expect(colors.map(nameColor)).toEqual(["lime"]);
    expect((await recorded.client.post(`${recorded.path}/${id}/stop`)).status).toBe(204);
    expect((await recorded.client.post(recorded.path, {})).status).toBe(404);
  });

  it("keeps what was recorded until the browser crashed", async () => {
    const recorded = await RecordedSession.create();
    await recorded.paint("lime", 0);
    const id = await recorded.start();
    await recorded.pause(5 * SECOND);
    const { browserId = "" } = (await readRecord(recorded.session.session_id)) ?? {};
    await closeBrowser(env.BROWSER, browserId);
    await waitUntilEnded(recorded.session.session_id);
    await expect.poll(async () => (await recorded.describe(id)).finished_at).not.toBeNull();
    const { note, seconds } = await recorded.describe(id);
    expect(note).toBe("the connection to the browser was lost");
    expect(seconds).toBeGreaterThan(2.5);
    const { duration, colors } = await playVideo((await recorded.download(id)).bytes, [2.5]);
    expect(colors.map(nameColor)).toEqual(["lime"]);
    expect(duration).toBeCloseTo(seconds, 1);
  });
});

describe("a crash of the session's object", () => {
  it("loses at most the last seconds", async () => {
    const recorded = await RecordedSession.create();
    await recorded.paint("lime", 0);
    const id = await recorded.start();
    await recorded.pause(5 * SECOND);
    await restart(recorded.session.session_id);
    await runAlarm(recorded.session.session_id);
    await expect.poll(async () => (await recorded.describe(id)).finished_at).not.toBeNull();
    const { note, seconds } = await recorded.describe(id);
    expect(note).toBe("the service failed while it was recording");
    expect(seconds).toBeGreaterThan(2.5);
    const { colors } = await playVideo((await recorded.download(id)).bytes, [seconds - 0.2]);
    expect(colors.map(nameColor)).toEqual(["lime"]);
    const next = await recorded.start();
    await recorded.stop(next);
    await recorded.end();
  });
});

describe("a session with record", () => {
  it("is recorded as a whole, also after a crash of its object", async () => {
    const recorded = await RecordedSession.create({ record: true });
    const ends = async () => (await recorded.list()).map(({ finished_at }) => finished_at !== null);
    await expect.poll(ends).toEqual([false]);
    await recorded.paint("lime", 4 * SECOND);
    await restart(recorded.session.session_id);
    recorded.devTools = await DevTools.connect(recorded.session.cdp_ws_url);
    await recorded.devTools.openPage();
    await expect.poll(ends).toEqual([true, false]);
    await recorded.paint("blue", SECOND);
    await recorded.end();
    await expect.poll(ends).toEqual([true, true]);
    const colors = [];
    for (const { replay_id } of await recorded.list()) {
      const { seconds } = await recorded.describe(replay_id);
      const played = await playVideo((await recorded.download(replay_id)).bytes, [seconds - 0.2]);
      colors.push(...played.colors.map(nameColor));
    }
    expect(colors).toEqual(["lime", "blue"]);
  }, 60_000);
});

describe("the storage quota", () => {
  const { MAX_STORED_MEBIBYTES } = env;
  afterEach(() => {
    env.MAX_STORED_MEBIBYTES = MAX_STORED_MEBIBYTES;
  });

  it("refuses a recording when it is used up, and counts recordings", async () => {
    const recorded = await RecordedSession.create();
    env.MAX_STORED_MEBIBYTES = "3";
    const id = await recorded.start();
    const refused = await recorded.client.post(recorded.path, {});
    expect(refused.status).toBe(413);
    expect(refused.error.message).toContain("MAX_STORED_MEBIBYTES");
    await recorded.paint("lime", SECOND);
    await recorded.stop(id);
    await recorded.stop(await recorded.start());
    await recorded.end();
  });
});

describe("a failure of R2", () => {
  const beforeCall = useDelayedFiles();

  it("loses nothing if it is short", async () => {
    const recorded = await RecordedSession.create();
    let isFailing = true;
    beforeCall("put", async () => {
      if (isFailing) throw new Error("R2 does not answer");
    });
    const id = await recorded.start();
    await recorded.paint("lime", 4 * SECOND);
    const refused = await recorded.client.post(`${recorded.path}/${id}/stop`);
    expect(refused.status).toBe(503);
    expect((await recorded.download(id)).status).toBe(202);
    isFailing = false;
    await recorded.stop(id);
    expect(await recorded.describe(id)).toMatchObject({ note: null });
    const { colors } = await playVideo((await recorded.download(id)).bytes, [1]);
    expect(colors.map(nameColor)).toEqual(["lime"]);
    await recorded.end();
  });
});
