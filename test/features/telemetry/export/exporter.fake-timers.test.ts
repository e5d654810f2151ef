import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NumberedEvent } from "../../../../src/features/telemetry/event.ts";
import { type ExporterOptions, OTLPExporter } from "../../../../src/features/telemetry/export/index.ts";
import { sendLogs } from "../../../../src/features/telemetry/export/send-logs.ts";
import { type Client, newClient } from "../../../api.ts";
import { createDestination } from "./destinations.ts";
import { FakeReceiver } from "./receiver.ts";

const PATH = "/org/otlp_destinations";
const BATCH_MS = 2000;
const REQUEST_MS = 10_000;
const SECRET = "correct-horse-battery";
const CHECK_MS = 20;
const MAX_CHECKS = 100;

const realTimeout = setTimeout;

let client: Client;
let destinationId: string;
let receiver: FakeReceiver;
let exporter: OTLPExporter;
const failures: [message: string, dropped: number][] = [];
const setTimeouts = () => vi.mocked(setTimeout).mock.calls.map(([, delay]) => delay);

beforeEach(async () => {
  client = await newClient();
  destinationId = (await createDestination(client, { headers: { authorization: SECRET } })).id;
  receiver = new FakeReceiver();
  vi.spyOn(Math, "random").mockReturnValue(1);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.spyOn(globalThis, "setTimeout");
  failures.length = 0;
  exporter = newExporter();
});
afterEach(async () => {
  exporter.close();
  // Objects that other tests left behind in this isolate may set a timer for a moment. `expect.poll` would let
  // the time of all timers pass.
  for (let checks = 0; vi.getTimerCount() > 0 && checks < MAX_CHECKS; checks++)
    await new Promise((resolve) => realTimeout(resolve, CHECK_MS));
  expect(vi.getTimerCount()).toBe(0);
  vi.restoreAllMocks();
});

function newExporter(options: Partial<ExporterOptions> = {}): OTLPExporter {
  return new OTLPExporter({
    env,
    organizationId: client.organizationId,
    destinationId,
    attributes: { sessionId: "s1", tags: {} },
    send: (destination, body) => sendLogs(env, destination, body),
    onFailure: (message, dropped) => failures.push([message, dropped]),
    ...options,
  });
}

function events(count: number, data?: Record<string, unknown>): NumberedEvent[] {
  return Array.from({ length: count }, (_, seq) => ({
    seq,
    event: { category: "page", type: `e${seq}`, ts: Date.now() * 1000, source: { kind: "cdp" }, data },
  }));
}

/** Waits until a timer of this length is set, and lets the time pass. */
async function passes(delay: number): Promise<void> {
  await expect.poll(setTimeouts).toContain(delay);
  vi.mocked(setTimeout).mockClear();
  await vi.advanceTimersByTimeAsync(delay);
}

async function requests(count: number): Promise<void> {
  await expect.poll(() => receiver.requests.length).toBe(count);
}

async function idle(): Promise<void> {
  await exporter.flush(60_000);
}

function respondWith(status: number, headers: Record<string, string> = {}): void {
  receiver.responses.push(() => new Response(null, { status, headers }));
}

describe("events", () => {
  it("wait two seconds and are sent in one request", async () => {
    exporter.export(events(1));
    await vi.advanceTimersByTimeAsync(BATCH_MS - 1);
    exporter.export(events(2));
    expect(receiver.requests).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await requests(1);
    expect(receiver.eventNames).toEqual(["e0", "e0", "e1"]);
    expect(receiver.requests[0]?.headers.get("authorization")).toBe(SECRET);
    await idle();
    expect(failures).toEqual([]);
  });

  it("name their session", async () => {
    const tags = { team: "blue", ["__proto__"]: "tag" };
    exporter = newExporter({
      attributes: { sessionId: "s1", name: "shop", tags, poolId: "p1", invocationId: "i1" },
    });
    exporter.export(events(1));
    await idle();
    expect(receiver.requests[0]?.resource).toEqual({
      "service.name": "berth",
      "berth.session.id": "s1",
      "berth.session.name": "shop",
      "berth.pool.id": "p1",
      "berth.invocation.id": "i1",
      "berth.tag.team": "blue",
      "berth.tag.__proto__": "tag",
    });
  });

  it("are sent at once when a batch is full", async () => {
    exporter.export(events(1100));
    expect(setTimeouts()).not.toContain(BATCH_MS);
    await requests(2);
    expect(receiver.requests.map(({ records }) => records.length)).toEqual([512, 512]);
    await idle();
    expect(receiver.requests.map(({ records }) => records.length)).toEqual([512, 512, 76]);
    expect(receiver.eventNames).toEqual(events(1100).map(({ event }) => event.type));
  });

  it("are sent at once when a batch is large", async () => {
    const data = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`k${index}`, "x".repeat(4000)]),
    );
    exporter.export(events(3, data));
    expect(setTimeouts()).not.toContain(BATCH_MS);
    await requests(1);
    expect(receiver.requests[0]?.records).toHaveLength(2);
    await idle();
  });

  it("of pictures and of telemetry itself are not sent", async () => {
    const [event] = events(1);
    if (!event) throw new Error("no event");
    for (const category of ["screenshot", "monitor"] as const) {
      exporter.export([{ ...event, event: { ...event.event, category } }]);
    }
    await idle();
    expect(receiver.requests).toEqual([]);
  });

  it("beyond 2,000 are dropped from the start of the queue and counted", async () => {
    const held = Promise.withResolvers<Response>();
    receiver.responses.push(() => held.promise);
    exporter.export(events(512));
    await requests(1);
    exporter.export(events(2500));
    held.resolve(Response.json({}));
    await idle();
    expect(failures).toEqual([["Events were dropped because the queue was full", 500]]);
    expect(receiver.eventNames.slice(512)).toEqual(
      events(2500)
        .slice(500)
        .map(({ event }) => event.type),
    );
  });

  it("beyond 2 MiB are dropped", async () => {
    const data = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`k${index}`, "x".repeat(4000)]),
    );
    exporter.export(events(20, data));
    await idle();
    expect(failures).toEqual([["Events were dropped because the queue was full", 12]]);
    expect(receiver.eventNames).toHaveLength(8);
  });
});

describe("a receiver", () => {
  it.each([429, 502, 503, 504])("that answers %i gets the same records again", async (status) => {
    respondWith(status);
    respondWith(status);
    exporter.export(events(3));
    await passes(BATCH_MS);
    await passes(1000);
    await passes(2000);
    await requests(3);
    const sent = receiver.requests.map(({ records }) => records);
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    await idle();
    expect(failures).toEqual([]);
  });

  it.each([
    ["30", 30_000],
    ["0", 0],
    ["soon", 1000],
  ])("that asks to retry after %s gets the next request then", async (value, delay) => {
    respondWith(503, { "retry-after": value });
    exporter.export(events(1));
    await passes(BATCH_MS);
    await passes(delay);
    await requests(2);
  });

  it("may name the time of the next request", async () => {
    vi.setSystemTime(1_795_000_000_000);
    respondWith(429, { "retry-after": new Date(1_795_000_000_000 + BATCH_MS + 7000).toUTCString() });
    exporter.export(events(1));
    await passes(BATCH_MS);
    await passes(7000);
    await requests(2);
  });

  it.each([400, 401, 404, 413, 500, 302])("that answers %i gets no further request", async (status) => {
    respondWith(status, { location: "https://93.184.215.15/" });
    exporter.export(events(3));
    await idle();
    expect(failures).toEqual([[`HTTP ${status}`, 3]]);
    expect(receiver.requests).toHaveLength(1);
    exporter.export(events(1));
    await idle();
    expect(receiver.requests).toHaveLength(2);
  });

  it("that stays unavailable for a minute loses the batch", async () => {
    for (let index = 0; index < 10; index++) respondWith(503);
    exporter.export(events(3));
    await passes(BATCH_MS);
    for (const delay of [1000, 2000, 4000, 8000, 16_000, 16_000]) await passes(delay);
    await expect.poll(() => failures).toEqual([["HTTP 503", 3]]);
    expect(receiver.requests).toHaveLength(7);
  });

  it("that asks for more than a minute loses the batch at once", async () => {
    respondWith(429, { "retry-after": "61" });
    exporter.export(events(3));
    await idle();
    expect(failures).toEqual([["HTTP 429", 3]]);
  });

  it("that cannot be reached gets the records later", async () => {
    receiver.responses.push(() => Promise.reject(new Error(`refused ${SECRET}`)));
    exporter.export(events(1));
    await passes(BATCH_MS);
    await passes(1000);
    await requests(2);
    await idle();
    expect(failures).toEqual([]);
  });

  it("that hangs is given up after ten seconds", async () => {
    const aborted = Promise.withResolvers<void>();
    receiver.responses.push((signal) => {
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => {});
    });
    exporter.export(events(1));
    await passes(BATCH_MS);
    await requests(1);
    await passes(REQUEST_MS);
    await aborted.promise;
    await passes(1000);
    await requests(2);
  });

  it("whose answer never ends gets no further request", async () => {
    const body = () => new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(8192)) });
    receiver.responses.push(() => new Response(body()));
    exporter.export(events(2));
    await idle();
    expect(receiver.requests).toHaveLength(1);
    expect(failures).toEqual([[expect.stringContaining("larger than 65536 bytes"), 2]]);
  });

  it.each([
    [{ rejectedLogRecords: "2", errorMessage: "too old" }, ["The receiver rejected 2 records: too old", 2]],
    [{ rejectedLogRecords: 2 }, ["The receiver rejected 2 records", 2]],
    [{ rejectedLogRecords: "9000" }, ["The receiver rejected 9000 records", 3]],
    [{ errorMessage: `use ${SECRET}` }, ["The receiver rejected 0 records: use …", 0]],
    [{ rejectedLogRecords: 0, errorMessage: "" }, undefined],
    [{ rejectedLogRecords: "many" }, undefined],
    [null, undefined],
  ])("that answers with the partial success %j is reported", async (partialSuccess, failure) => {
    receiver.responses.push(() => Response.json({ partialSuccess }));
    exporter.export(events(3));
    await idle();
    expect(failures).toEqual(failure ? [failure] : []);
    expect(receiver.requests).toHaveLength(1);
  });
});

describe("the destination", () => {
  it("is used with its new values after at most 30 seconds", async () => {
    exporter.export(events(1));
    await idle();
    await client.patch(`${PATH}/${destinationId}`, { headers: { authorization: "new" } });
    await vi.advanceTimersByTimeAsync(30_001);
    exporter.export(events(1));
    await idle();
    expect(receiver.requests.map(({ headers }) => headers.get("authorization"))).toEqual([SECRET, "new"]);
  });

  it("gets nothing after its deletion", async () => {
    await client.delete(`${PATH}/${destinationId}`);
    exporter.export(events(2));
    await idle();
    expect(receiver.requests).toEqual([]);
    expect(failures).toEqual([["The OTLP destination was deleted", 2]]);
  });

  it("of another organization gets nothing", async () => {
    exporter = newExporter({ organizationId: "other" });
    exporter.export(events(1));
    await idle();
    expect(receiver.requests).toEqual([]);
    expect(failures).toHaveLength(1);
  });

  it("is read again when the database fails", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(env.DB, "prepare").mockImplementationOnce(() => {
      throw new Error("D1_ERROR");
    });
    exporter.export(events(1));
    await passes(BATCH_MS);
    await passes(1000);
    await requests(1);
    expect(logged.mock.calls.flat().join()).toContain("otlp_export_failed");
  });
});

describe("the end of a session", () => {
  it("waits for the delivery of all events", async () => {
    exporter.export(events(700));
    await exporter.flush(5000);
    expect(receiver.eventNames).toHaveLength(700);
    exporter.close();
    expect(failures).toEqual([]);
  });

  it("waits no longer than given, and then counts what is lost", async () => {
    receiver.responses.push(() => new Promise(() => {}));
    exporter.export(events(600));
    await requests(1);
    const flushed = exporter.flush(5000);
    await passes(5000);
    await flushed;
    exporter.close();
    expect(failures).toEqual([["The session ended before the export was complete", 600]]);
    await vi.advanceTimersByTimeAsync(REQUEST_MS);
  });

  it("does not wait for the request under way, which ends by its own time limit", async () => {
    receiver.responses.push(() => new Promise(() => {}));
    exporter.export(events(1));
    await passes(BATCH_MS);
    await requests(1);
    const flushed = exporter.flush(60_000);
    exporter.close();
    await flushed;
    await passes(REQUEST_MS);
    exporter.export(events(1));
    exporter.close();
    expect(failures).toHaveLength(1);
  });

  it("ends the wait for a retry", async () => {
    respondWith(503);
    exporter.export(events(1));
    await passes(BATCH_MS);
    await expect.poll(setTimeouts).toContain(1000);
    exporter.close();
    expect(failures).toEqual([["The session ended before the export was complete", 1]]);
  });
});
