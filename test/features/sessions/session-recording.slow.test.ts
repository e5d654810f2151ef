import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { recordingSchema } from "../../../src/api/recordings/schema.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { numberedEventSchema } from "../../../src/features/telemetry/schema.ts";
import { useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { advanceTime, readRecord, restart, runAlarm, runInSession } from "../../objects.ts";

const browsers = useFakeBrowsers();
const { MAX_STORED_MEBIBYTES } = env;

/** The first command of an encoder. */
const OPEN_ENCODER = "Target.createBrowserContext";

const client = useNewClient();
afterEach(() => {
  env.MAX_STORED_MEBIBYTES = MAX_STORED_MEBIBYTES;
});

async function createRecorded(): Promise<string> {
  const session = await client.createSession({ record: true, timeout_seconds: 600 });
  expect(session.record).toBe(true);
  return session.session_id;
}

async function list(id: string) {
  return (await client.get(`/browsers/${id}/replays`)).read(z.array(recordingSchema));
}

/** Whether each recording has ended, oldest first. */
async function ends(id: string): Promise<boolean[]> {
  return (await list(id)).map(({ finished_at }) => finished_at !== null);
}

async function readFailures(id: string) {
  const path = `/browsers/${id}/telemetry/events?category=system&limit=1000`;
  const events = (await client.get(path)).read(numberedEventSchema.array());
  return events.filter(({ event }) => event.type === "recording_failed").map(({ event }) => event.data);
}

/** Runs the deadline that sends the session's browser a command. */
async function ping(id: string): Promise<void> {
  advanceTime(41_000);
  await runAlarm(id);
}

function methodsAfter(command: number): string[] {
  return browsers.commands.slice(command).map(({ method }) => method);
}

/** Drops a session's connection to its browser, which keeps running. */
async function disconnect(id: string): Promise<void> {
  const { browserId = "" } = (await readRecord(id)) ?? {};
  await runInSession(id, () => browsers.browser(browserId).disconnect());
}

describe("a session with record", () => {
  it("is recorded from its start to its end", async () => {
    const id = await createRecorded();
    await expect.poll(() => ends(id)).toEqual([false]);
    expect(browsers.commands).toContainEqual(
      expect.objectContaining({
        params: expect.objectContaining({ expression: expect.stringContaining('"framerate":4') }),
      }),
    );
    await client.delete(`/browsers/${id}`);
    await expect.poll(() => ends(id)).toEqual([true]);
    const ended = (await client.get(`/browsers/${id}?include_deleted=true`)).read(sessionSchema);
    expect(ended.record).toBe(true);
  });

  it("does not wait for the recording", async () => {
    browsers.silentMethods.add(OPEN_ENCODER);
    const id = await createRecorded();
    expect(await list(id)).toEqual([]);
    expect((await client.delete(`/browsers/${id}`)).status).toBe(204);
    expect(await readFailures(id)).toEqual([]);
  });

  it("continues when the recording cannot begin, reports it once, and tries again", async () => {
    browsers.failingMethods.add(OPEN_ENCODER);
    const id = await createRecorded();
    const failure = { message: "The session's browser cannot be recorded now" };
    await expect.poll(() => readFailures(id)).toEqual([failure]);
    const before = browsers.commands.length;
    await ping(id);
    await expect.poll(() => methodsAfter(before)).toContain(OPEN_ENCODER);
    browsers.failingMethods.clear();
    await expect
      .poll(async () => {
        await ping(id);
        return ends(id);
      })
      .toEqual([false]);
    expect(await readFailures(id)).toEqual([failure]);
    expect((await client.get(`/browsers/${id}`)).status).toBe(200);
    await client.delete(`/browsers/${id}`);
  });

  it("tells that the storage is full, and does not try again", async () => {
    env.MAX_STORED_MEBIBYTES = "1";
    const id = await createRecorded();
    await expect
      .poll(() => readFailures(id))
      .toEqual([{ message: expect.stringContaining("MAX_STORED_MEBIBYTES") }]);
    env.MAX_STORED_MEBIBYTES = MAX_STORED_MEBIBYTES;
    const before = browsers.commands.length;
    await ping(id);
    await expect.poll(() => methodsAfter(before)).toContain("Browser.getVersion");
    expect(methodsAfter(before)).not.toContain(OPEN_ENCODER);
    await client.delete(`/browsers/${id}`);
  });

  it("has another recording after a restart of its object", async () => {
    const id = await createRecorded();
    await expect.poll(() => ends(id)).toEqual([false]);
    await restart(id);
    await runAlarm(id);
    await expect.poll(() => ends(id)).toEqual([true, false]);
    expect((await list(id))[0]?.note).toContain("the service failed while it was recording");
    await client.delete(`/browsers/${id}`);
    await expect.poll(() => ends(id)).toEqual([true, true]);
  });

  it("has no other recording once a call has stopped it", async () => {
    const id = await createRecorded();
    await expect.poll(() => ends(id)).toEqual([false]);
    const other = (await client.post(`/browsers/${id}/replays`, {})).read(recordingSchema);
    await client.post(`/browsers/${id}/replays/${other.replay_id}/stop`);
    expect((await readRecord(id))?.isRecorded).toBe(true);
    const [recording] = await list(id);
    await client.post(`/browsers/${id}/replays/${recording?.replay_id}/stop`);
    await restart(id);
    await runAlarm(id);
    expect((await readRecord(id))?.isRecorded).toBe(false);
    expect(await ends(id)).toEqual([true, true]);
    await client.delete(`/browsers/${id}`);
    expect(await ends(id)).toEqual([true, true]);
  });

  it("continues with another recording when the connection to the browser was lost", async () => {
    const id = await createRecorded();
    await expect.poll(() => ends(id)).toEqual([false]);
    advanceTime(10_000);
    await disconnect(id);
    await expect.poll(() => ends(id)).toEqual([true, false]);
    // Not at once, because it was short.
    await disconnect(id);
    await expect.poll(() => ends(id)).toEqual([true, true]);
    await ping(id);
    await expect.poll(() => ends(id)).toEqual([true, true, false]);
    await client.delete(`/browsers/${id}`);
  });
});
