import { format } from "node:util";
import type { LogLine } from "../run-messages.ts";
import { forFirstTaker } from "./first-taker.ts";

/** Takes what is logged. */
export type Log = (stream: LogLine["stream"], text: string) => void;

// Taken before other people's code runs, which may put something else in their place.
const now = Date.now;
const toText = format;
const soon = queueMicrotask;
const decode = TextDecoder.prototype.decode.bind(new TextDecoder());
const isBytes = ArrayBuffer.isView;

/** What was logged before anybody followed, as while modules load. */
const early: Parameters<Log>[] = [];

const MAX_EARLY_LINES = 1000;

let follow: Log = (...line) => {
  if (early.length < MAX_EARLY_LINES) early.push(line);
};

/** Has all that is logged in this Worker from now on, and was before anybody followed, go to `log`. */
function followConsole(log: Log): void {
  follow = log;
  for (const line of early.splice(0)) log(...line);
}

/** For the runner. */
export const takeFollowConsole = forFirstTaker(followConsole);

const toStdout = (...values: unknown[]) => follow("stdout", toText(...values));
const toStderr = (...values: unknown[]) => follow("stderr", toText(...values));

const counts: Record<string, number> = Object.create(null);
const timers: Record<string, number> = Object.create(null);

function tellTime(label: string, ...values: unknown[]): void {
  const began = timers[label];
  if (began !== undefined) toStdout(`${label}: ${now() - began}ms`, ...values);
}

/** The platform's own console writes into the service's log, or nowhere. */
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
  timeLog: (label = "default", ...values: unknown[]) => tellTime(label, ...values),
  timeEnd(label = "default") {
    tellTime(label);
    delete timers[label];
  },
});

/** As Node's: it takes bytes, too, and an encoding, and calls back soon. */
for (const stream of ["stdout", "stderr"] as const) {
  process[stream].write = (chunk: unknown, ...rest: unknown[]) => {
    const text = isBytes(chunk) ? decode(chunk) : String(chunk);
    follow(stream, text.replace(/\n$/, ""));
    const callback = rest.at(-1);
    if (typeof callback === "function") soon(() => callback());
    return true;
  };
}
