import { expect, vi } from "vitest";
import { type AnyValue, exportLogsRequest, type LogRecord } from "./otlp-schema.ts";

/** A public address that nothing is sent to, because the receiver stands in for `fetch`. */
export const ENDPOINT = "https://93.184.215.14";

export interface ReceivedRequest {
  url: string;
  headers: Headers;
  /** Milliseconds since the epoch. */
  at: number;
  resource: Record<string, unknown>;
  records: LogRecord[];
}

type Respond = (signal: AbortSignal) => Response | Promise<Response>;

/** Stands in for `fetch` and refuses what the protocol does not allow. `vi.restoreAllMocks` ends it. */
export class FakeReceiver {
  readonly requests: ReceivedRequest[] = [];
  /** Answers to the next requests; then 200. */
  readonly responses: Respond[] = [];

  constructor() {
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      const signal = init?.signal;
      if (!signal) throw new Error("a request without a signal never ends");
      this.requests.push(await readRequest(new Request(input, { ...init, signal: undefined })));
      expect(init?.redirect).toBe("manual");
      return (this.responses.shift() ?? (() => Response.json({})))(signal);
    });
  }

  get eventNames(): string[] {
    return this.requests.flatMap(({ records }) => records.map(({ eventName }) => eventName));
  }
}

async function readRequest(request: Request): Promise<ReceivedRequest> {
  expect(request.method).toBe("POST");
  expect(request.headers.get("content-type")).toBe("application/json");
  expect(request.headers.get("content-encoding")).toBe("gzip");
  if (!request.body) throw new Error("no body");
  const text = await new Response(request.body.pipeThrough(new DecompressionStream("gzip"))).text();
  const { resourceLogs } = exportLogsRequest.parse(JSON.parse(text));
  const [{ resource, scopeLogs } = { resource: {}, scopeLogs: [] }] = resourceLogs;
  return {
    url: request.url,
    headers: request.headers,
    at: Date.now(),
    resource: plainAttributes(resource.attributes ?? []),
    records: scopeLogs.flatMap(({ logRecords }) => logRecords),
  };
}

export function plainAttributes(attributes: LogRecord["attributes"]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ arrayValue, kvlistValue, ...value }: AnyValue): unknown {
  if (arrayValue) return arrayValue.values.map(plainValue);
  if (kvlistValue) return plainAttributes(kvlistValue.values);
  return Object.values(value)[0] ?? null;
}
