import { describe, expect, it } from "vitest";
import type { TelemetryEvent } from "../../../../src/features/telemetry/event.ts";
import {
  encodeRecord,
  encodeRequest,
  wrapRecords,
} from "../../../../src/features/telemetry/export/log-records.ts";
import { exportLogsRequest, type LogRecord } from "./otlp-schema.ts";
import { plainAttributes } from "./receiver.ts";

const NOW = 1_795_000_000_000;

function eventOf(type: string, data?: Record<string, unknown>): TelemetryEvent {
  return { category: "network", type, ts: 1_794_999_999_123_456, source: { kind: "cdp" }, data };
}

async function encode(event: TelemetryEvent, resource = {}) {
  const bytes = encodeRecord({ seq: 7, event }, NOW);
  const body = await encodeRequest(wrapRecords(resource), [bytes]);
  const text = new Blob([body]).stream().pipeThrough(new DecompressionStream("gzip"));
  const [logs] = exportLogsRequest.parse(JSON.parse(await new Response(text).text())).resourceLogs;
  const record = logs?.scopeLogs[0]?.logRecords[0];
  if (!logs || !record) throw new Error("no record");
  return { size: bytes.length, record, resource: plainAttributes(logs.resource.attributes ?? []) };
}

async function attributesOf(data: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { record } = await encode(eventOf("any", data));
  return plainAttributes(record.attributes);
}

describe("a log record", () => {
  it("has the event's time, name, summary and data", async () => {
    const data = { method: "GET", url: "https://example.com/", headers: { accept: "*/*" }, timing: 1.5 };
    const event = eventOf("network_request", data);
    event.source.event = "Network.requestWillBeSent";
    const { record } = await encode({ ...event, truncated: true });
    expect(record).toEqual({
      timeUnixNano: "1794999999123456000",
      observedTimeUnixNano: "1795000000000000000",
      severityNumber: 9,
      severityText: "INFO",
      body: { stringValue: "network_request GET https://example.com/" },
      eventName: "network_request",
      attributes: [
        { key: "berth.event.category", value: { stringValue: "network" } },
        { key: "berth.event.seq", value: { intValue: "7" } },
        { key: "berth.event.source", value: { stringValue: "cdp" } },
        { key: "berth.event.source_event", value: { stringValue: "Network.requestWillBeSent" } },
        { key: "berth.event.truncated", value: { boolValue: true } },
        { key: "berth.data.method", value: { stringValue: "GET" } },
        { key: "berth.data.url", value: { stringValue: "https://example.com/" } },
        {
          key: "berth.data.headers",
          value: { kvlistValue: { values: [{ key: "accept", value: { stringValue: "*/*" } }] } },
        },
        { key: "berth.data.timing", value: { doubleValue: 1.5 } },
      ],
      droppedAttributesCount: 0,
    } satisfies LogRecord);
  });

  it.each([
    ["console_error", {}, 17, "ERROR"],
    ["network_loading_failed", {}, 17, "ERROR"],
    ["service_crashed", {}, 17, "ERROR"],
    ["page_crash", {}, 17, "ERROR"],
    ["system_oom_kill", {}, 17, "ERROR"],
    ["console_log", { level: "error" }, 17, "ERROR"],
    ["console_log", { level: "warning" }, 13, "WARN"],
    ["console_log", { level: "log" }, 9, "INFO"],
    ["page_load", undefined, 9, "INFO"],
  ])("of type %s with %o has severity %i", async (type, data, severityNumber, severityText) => {
    expect((await encode(eventOf(type, data))).record).toMatchObject({ severityNumber, severityText });
  });

  it("keeps the types of values", async () => {
    const list = [1, "two", null, [true]];
    expect(
      await attributesOf({ list, zero: -0, large: 2 ** 60, none: null, infinite: Infinity }),
    ).toMatchObject({
      "berth.data.list": ["1", "two", null, [true]],
      "berth.data.zero": "0",
      "berth.data.large": 2 ** 60,
      "berth.data.infinite": "Infinity",
    });
    expect(await attributesOf({ none: null, missing: undefined })).not.toHaveProperty("berth.data.none");
  });
});

describe("hostile data", () => {
  it("does not reach prototypes", async () => {
    const data = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    const { record } = await encode(eventOf("any", data));
    expect(record.attributes.map(({ key }) => key)).toContain("berth.data.__proto__");
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });

  it("is cut where it is nested too deeply", async () => {
    let data: Record<string, unknown> = {};
    for (let depth = 0; depth < 100_000; depth++) data = { nested: data };
    const { size, record } = await encode(eventOf("any", data));
    expect(size).toBeLessThan(1000);
    expect(JSON.stringify(record)).toContain("…");
  });

  it("has at most 64 attributes of 4 KB each", async () => {
    const long = "x".repeat(1_000_000);
    const data: Record<string, unknown> = {
      long,
      list: Array.from({ length: 100_000 }, (_, index) => index),
      map: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, long])),
      [long]: "the key is too long",
    };
    for (let index = 0; index < 100; index++) data[`more${index}`] = long;
    const { size, record } = await encode(eventOf("any", data));
    expect(record.attributes).toHaveLength(64);
    expect(record.droppedAttributesCount).toBe(3 + 3 + 100 - 64);
    for (const { value } of record.attributes) {
      const plain = JSON.stringify(Object.values(plainAttributes([{ key: "", value }])));
      expect(plain.length).toBeLessThanOrEqual(4100);
    }
    expect(size).toBeLessThan(300_000);
  });

  it("is well-formed text, also where it is cut", async () => {
    const data = { text: `\ud800 ${"\u{1f600}".repeat(3000)}`, "\udc00": "bad key", nul: "\0" };
    const attributes = await attributesOf(data);
    expect(attributes).toHaveProperty(["berth.data.text"]);
    expect(attributes).toHaveProperty(["berth.data.nul"], "\0");
    expect(Object.keys(attributes).every((key) => key.isWellFormed())).toBe(true);
  });
});
