import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient } from "../../api.ts";
import { nameColor, playVideo, RecordedSession } from "./recorded-session.ts";

const SECOND = 1000;

describe("a recording", () => {
  let recorded: RecordedSession;

  beforeAll(async () => {
    recorded = await RecordedSession.create();
  });
  afterAll(() => recorded.end());

  it("shows what the page showed, in real time, also while it did not paint", async () => {
    await recorded.paint("red", 0);
    const startedAt = Date.now();
    const id = await recorded.start();
    await recorded.paint("red", SECOND);
    await recorded.paint("lime", 4 * SECOND);
    await recorded.paint("blue", SECOND);
    expect((await recorded.download(id)).status).toBe(202);
    await recorded.stop(id);
    const elapsed = (Date.now() - startedAt) / SECOND;
    const { seconds } = await recorded.describe(id);
    const video = await recorded.download(id);
    expect(video.headers.get("content-type")).toBe("video/mp4");
    const played = await playVideo(video.bytes, [3, 0.6, 4.5, seconds - 0.2]);
    expect(played).toMatchObject({ width: 1024, height: 768 });
    expect(played.duration).toBeCloseTo(seconds, 1);
    expect(seconds).toBeGreaterThan(6);
    expect(seconds).toBeLessThan(elapsed + 0.1);
    expect(played.colors.map(nameColor)).toEqual(["lime", "red", "lime", "blue"]);
  });

  it("serves ranges of the file", async () => {
    const [recording] = await recorded.list();
    const id = recording?.replay_id ?? "";
    const { bytes } = await recorded.download(id);
    const part = await recorded.download(id, "bytes=100-2999");
    expect(part.status).toBe(206);
    expect(part.headers.get("content-range")).toBe(`bytes 100-2999/${bytes.length}`);
    expect(part.bytes).toEqual(bytes.subarray(100, 3000));
    const end = await recorded.download(id, "bytes=-10");
    expect(end.bytes).toEqual(bytes.subarray(-10));
    const beyond = await recorded.download(id, `bytes=${bytes.length}-`);
    expect(beyond.status).toBe(416);
  });

  it("is invisible to clients, and to other organizations", async () => {
    const targets = async () => JSON.stringify((await recorded.devTools.send("Target.getTargets")).result);
    const before = await targets();
    const id = await recorded.start();
    expect(await targets()).toBe(before);
    const other = await newClient();
    for (const path of ["", `/${id}`, `/${id}/chapters`]) {
      expect((await other.get(`${recorded.path}${path}`)).status).toBe(404);
    }
    expect((await other.post(`${recorded.path}/${id}/stop`)).status).toBe(404);
    expect((await other.post(recorded.path, {})).status).toBe(404);
    expect((await recorded.describe(id)).finished_at).toBeNull();
    await recorded.stop(id);
  });
});
