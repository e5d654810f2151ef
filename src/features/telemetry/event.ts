/** The categories of the Kernel SDK that a session's telemetry can be configured by. */
export const CATEGORIES = [
  "control",
  "connection",
  "system",
  "captcha",
  "console",
  "network",
  "page",
  "interaction",
  "screenshot",
] as const;

export type Category = (typeof CATEGORIES)[number];

/** Where an event was observed; `event` is the name of the DevTools event, if there is one. */
export interface EventSource {
  kind: "cdp" | "kernel_api" | "extension" | "local_process";
  event?: string;
  metadata?: Record<string, string>;
}

/** A session's event, as the Kernel SDK reads it. The category `monitor` reports on telemetry itself. */
export interface TelemetryEvent {
  category: Category | "monitor";
  type: string;
  /** Microseconds since the epoch. */
  ts: number;
  source: EventSource;
  data?: Record<string, unknown>;
  /** Whether `data` was cut. */
  truncated?: boolean;
}

/** An event before it is recorded. Defaults: the service itself is the source, and `ts` the current time. */
export type NewEvent = Omit<TelemetryEvent, "ts" | "source"> & Partial<Pick<TelemetryEvent, "ts" | "source">>;

/** A recorded event. Sequence numbers ascend within a session; a gap means that events were dropped. */
export interface NumberedEvent {
  seq: number;
  event: TelemetryEvent;
}
