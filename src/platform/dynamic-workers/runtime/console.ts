import { format } from "node:util";
import type { LogLine } from "../run-messages.ts";
import { claimOnce } from "./claim-once.ts";

export type Log = (stream: LogLine["stream"], text: string) => void;

// Saved before user code can replace them.
const now = Date.now;
const toText = format;
const enqueue = queueMicrotask;
const decode = TextDecoder.prototype.decode.bind(new TextDecoder());
const isBytes = ArrayBuffer.isView;

const buffered: Parameters<Log>[] = [];

const MAX_BUFFERED_LINES = 1000;

let follow: Log = (...line) => {
  if (buffered.length < MAX_BUFFERED_LINES) buffered.push(line);
};

function followConsole(log: Log): void {
  follow = log;
  for (const line of buffered.splice(0)) log(...line);
}

export const claimFollowConsole = claimOnce(followConsole);

const toStdout = (...values: unknown[]) => follow("stdout", toText(...values));
const toStderr = (...values: unknown[]) => follow("stderr", toText(...values));

const counts: Record<string, number> = Object.create(null);
const timers: Record<string, number> = Object.create(null);

function logTime(label: string, ...values: unknown[]): void {
  const startedAt = timers[label];
  if (startedAt !== undefined) toStdout(`${label}: ${now() - startedAt}ms`, ...values);
}

/** The platform's console would write to the service's log. */
Object.assign(console, {
  log: toStdout,
  info: toStdout,
  debug: toStdout,
  group: toStdout,
  groupCollapsed: toStdout,
  dir: (value: unknown) => toStdout(value),
  dirxml: toStdout,
  table: (value: unknown) => toStdout(value),
  warn: toStderr,
  error: toStderr,
  trace: (...values: unknown[]) => toStderr("Trace:", ...values),
  assert(condition: unknown, ...values: unknown[]) {
    if (!condition) toStderr("Assertion failed", ...values);
  },
  count(label = "default") {
    counts[label] = (counts[label] ?? 0) + 1;
    toStdout(`${label}: ${counts[label]}`);
  },
  countReset(label = "default") {
    delete counts[label];
  },
  time(label = "default") {
    timers[label] = now();
  },
  timeLog: (label = "default", ...values: unknown[]) => logTime(label, ...values),
  timeEnd(label = "default") {
    logTime(label);
    delete timers[label];
  },
});

// As in Node, `write` accepts bytes, an encoding and a callback.
for (const stream of ["stdout", "stderr"] as const) {
  process[stream].write = (chunk: unknown, ...rest: unknown[]) => {
    const text = isBytes(chunk) ? decode(chunk) : String(chunk);
    follow(stream, text.replace(/\n$/, ""));
    const callback = rest.at(-1);
    if (typeof callback === "function") enqueue(() => callback());
    return true;
  };
}
