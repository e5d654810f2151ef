import { cut } from "../../../lib/common/cut.ts";
import type { NumberedEvent, TelemetryEvent } from "../event.ts";

/** The JSON form of the OTLP message; 64-bit integers are strings. */
type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: AnyValue[] } }
  | { kvlistValue: { values: KeyValue[] } }
  | Record<string, never>;

interface KeyValue {
  key: string;
  value: AnyValue;
}

const MAX_ATTRIBUTES = 64;
/** UTF-16 units of the keys and values of an attribute, with an addition for each node. */
const MAX_VALUE_SIZE = 4096;
const NODE_SIZE = 16;
const MAX_KEY_LENGTH = 256;
const MAX_DEPTH = 4;

const ERROR = { severityNumber: 17, severityText: "ERROR" };
const WARNING = { severityNumber: 13, severityText: "WARN" };
const INFO = { severityNumber: 9, severityText: "INFO" };

/** Fields of an event's data that describe it, in the order of a sentence. */
const SUMMARY_FIELDS = ["operation_id", "status", "method", "url", "level", "text", "error_text", "reason"];

/** The JSON before and after the records of a request. */
export interface RequestFrame {
  start: string;
  end: string;
}

export function wrapRecords(resource: Record<string, unknown>): RequestFrame {
  const attributes = JSON.stringify(toKeyValues(Object.entries(resource)));
  const scope = '{"scope":{"name":"berth"},"logRecords":[';
  return {
    start: `{"resourceLogs":[{"resource":{"attributes":${attributes}},"scopeLogs":[${scope}`,
    end: "]}]}]}",
  };
}

/** @param records not empty. @returns the body of a request, compressed with gzip. */
export async function encodeRequest(
  { start, end }: RequestFrame,
  records: readonly Uint8Array[],
): Promise<Uint8Array> {
  const separated = records.flatMap((record, index) => (index === 0 ? [record] : [",", record]));
  const stream = new Blob([start, ...separated, end]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Response(stream).bytes();
}

/** @param now milliseconds since the epoch. @returns the JSON of a log record. */
export function encodeRecord(event: NumberedEvent, now: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(toLogRecord(event, now)));
}

function toLogRecord({ seq, event }: NumberedEvent, now: number): object {
  const { category, type, ts, source, truncated, data = {} } = event;
  const own = { category, seq, source: source.kind, source_event: source.event, truncated };
  const entries = [
    ...Object.entries(own).map(([key, value]): [string, unknown] => [`berth.event.${key}`, value]),
    ...Object.entries(data).map(([key, value]): [string, unknown] => [`berth.data.${key}`, value]),
  ].filter(isKept);
  return {
    timeUnixNano: `${Math.round(ts)}000`,
    observedTimeUnixNano: `${now}000000`,
    ...severityOf(event),
    body: { stringValue: summarize(event) },
    eventName: type,
    attributes: toKeyValues(entries.slice(0, MAX_ATTRIBUTES)),
    droppedAttributesCount: Math.max(0, entries.length - MAX_ATTRIBUTES),
  };
}

function severityOf({ type, data }: TelemetryEvent): typeof INFO {
  if (/(_error|_crash(ed)?|_failed|_oom_kill)$/.test(type) || data?.level === "error") return ERROR;
  return data?.level === "warning" || data?.level === "warn" ? WARNING : INFO;
}

function summarize({ type, data = {} }: TelemetryEvent): string {
  const parts = SUMMARY_FIELDS.map((field) => data[field]).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  return cut([type, ...parts].join(" "), MAX_VALUE_SIZE).toWellFormed();
}

function toKeyValues(entries: [string, unknown][]): KeyValue[] {
  return entries
    .filter(isKept)
    .map(([key, value]) => ({ key, value: toAnyValue(value, { left: MAX_VALUE_SIZE }, MAX_DEPTH) }));
}

/** Keys must be unique, so that they cannot be cut. */
function isKept([key, value]: [string, unknown]): boolean {
  return value != null && key.length <= MAX_KEY_LENGTH && key.isWellFormed();
}

function toAnyValue(value: unknown, budget: { left: number }, depth: number): AnyValue {
  budget.left -= NODE_SIZE;
  if (value == null) return {};
  if (typeof value === "boolean") return { boolValue: value };
  if (Number.isSafeInteger(value)) return { intValue: String(value) };
  if (typeof value === "number" && Number.isFinite(value)) return { doubleValue: value };
  if (typeof value !== "object" || depth === 0) {
    const text = typeof value === "object" ? "…" : cut(String(value), Math.max(1, budget.left));
    budget.left -= text.length;
    return { stringValue: text.toWellFormed() };
  }
  if (Array.isArray(value)) {
    const values: AnyValue[] = [];
    for (const item of value) {
      if (budget.left <= 0) break;
      values.push(toAnyValue(item, budget, depth - 1));
    }
    return { arrayValue: { values } };
  }
  const values: KeyValue[] = [];
  for (const entry of Object.entries(value).filter(isKept)) {
    budget.left -= entry[0].length;
    if (budget.left <= 0) break;
    values.push({ key: entry[0], value: toAnyValue(entry[1], budget, depth - 1) });
  }
  return { kvlistValue: { values } };
}
