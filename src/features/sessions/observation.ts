import { tryWithin } from "../../lib/common/concurrency.ts";
import { notFound } from "../../lib/common/errors.ts";
import { streamEvents, toEventStream, toLogEvent } from "../../lib/http/event-stream.ts";
import { type CallerReach, isWithinReach } from "../organizations/index.ts";
import {
  changeConfig,
  type EventPage,
  type EventQuery,
  type TelemetryConfig,
  type TelemetryRequest,
} from "../telemetry/index.ts";
import type { CurrentConnections } from "./connections/connections.ts";
import { requireActive } from "./require-access.ts";
import type { SessionState } from "./state.ts";

/** How long a reader of the log waits for the session's own connection to its browser. */
const CONNECT_TIMEOUT_MS = 5000;

/** An API call as telemetry reports it. */
export interface APICall {
  operation_id: string;
  request_id: string;
  status: number;
  duration_ms: number;
  /** Fields of its body that the service does not know. */
  unknown_fields?: string[];
}

/** What a session reports about itself: its events, its browser's log, and its last screenshot. */
export class SessionObservation {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;

  constructor(state: SessionState, connections: CurrentConnections) {
    this.#state = state;
    this.#connections = connections;
  }

  /** Records an API call of the session. Calls for other organizations' sessions are ignored. */
  recordCall(caller: CallerReach, call: APICall): void {
    const { record, telemetry } = this.#state;
    if (record === undefined || !isWithinReach(record, caller)) return;
    telemetry.record({ category: "control", type: "api_call", data: { ...call } });
  }

  /** The events of a session that has started, if not in its archive. @throws 404 for other sessions. */
  async readEvents(caller: CallerReach, query: EventQuery): Promise<EventPage> {
    const { record, telemetry } = this.#state;
    if (record === undefined || record.phase === "starting" || !isWithinReach(record, caller)) {
      throw notFound("browser session");
    }
    return telemetry.readPage(query);
  }

  /** The last screenshot of an ended session that is not in a file yet. */
  readScreenshot(caller: CallerReach): Uint8Array<ArrayBuffer> | undefined {
    const { record, storage } = this.#state;
    if (record?.phase !== "ended" || !isWithinReach(record, caller)) return undefined;
    return storage.readSnapshot()?.picture;
  }

  /** New events (server-sent) until the session ends. @param after includes past events after this number. */
  followEvents(caller: CallerReach, after: number | undefined): ReadableStream<Uint8Array> {
    requireActive(this.#state.record, caller);
    return streamEvents(
      this.#state.telemetry.follow(after),
      (event) => [JSON.stringify(event)],
      () => undefined,
      ({ seq }) => seq,
    );
  }

  /** New lines of the browser's log as server-sent events until the session or lease ends; or kept ones. */
  async streamLog(
    caller: CallerReach,
    options: { process: string; follows: boolean },
  ): Promise<ReadableStream<Uint8Array>> {
    requireActive(this.#state.record, caller);
    const { activity, browser } = this.#connections.current;
    const use = activity.begin();
    const lines = this.#state.telemetry.readLog(options);
    // A reader of the log needs events that may not be recorded.
    const observing = browser.connect().then(() => browser.reconfigureTelemetry());
    await tryWithin(observing, CONNECT_TIMEOUT_MS);
    const onClosed = () => {
      use[Symbol.dispose]();
      this.#state.inBackground("telemetry_not_configured", browser.reconfigureTelemetry());
    };
    return toEventStream(lines, ({ message, ts }) => toLogEvent(message, ts / 1000), onClosed);
  }

  /** @throws 404 when the session or the lease has ended. */
  configure(
    caller: CallerReach & { lease: number | undefined },
    request: TelemetryRequest | null,
  ): TelemetryConfig {
    const record = requireActive(this.#state.record, caller);
    if (record.lease !== caller.lease) throw notFound("browser session");
    const telemetry = changeConfig(record.telemetry, request);
    this.#state.write({ ...record, telemetry });
    const { browser } = this.#connections.current;
    this.#state.inBackground("telemetry_not_configured", browser.reconfigureTelemetry());
    return telemetry;
  }
}
