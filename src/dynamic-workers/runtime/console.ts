import { format } from "node:util";
import type { LogLine } from "../run-messages.ts";

/** Takes what is logged. */
export type Log = (stream: LogLine["stream"], text: string) => void;

const STREAM_BY_METHOD = {
  log: "stdout",
  info: "stdout",
  debug: "stdout",
  warn: "stderr",
  error: "stderr",
  trace: "stderr",
} as const;

/** A console whose lines go to `log`; what writes none is as the platform has it. */
export function newConsole(log: Log): Console {
  const methods = Object.entries(STREAM_BY_METHOD).map(([method, stream]) => [
    method,
    (...values: unknown[]) => log(stream, format(...values)),
  ]);
  return Object.assign(Object.create(console), Object.fromEntries(methods));
}

/** What was logged before anybody followed, as while modules load. */
const early: Parameters<Log>[] = [];

const MOST_EARLY_LINES = 1000;

let follow: Log = (...line) => {
  if (early.length < MOST_EARLY_LINES) early.push(line);
};

Object.assign(globalThis, { console: newConsole((...line) => follow(...line)) });

/** Has all that is logged in this Worker, and was up to now, go to `log`. */
export function followConsole(log: Log): void {
  follow = log;
  for (const line of early.splice(0)) log(...line);
}
