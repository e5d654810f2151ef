import type { Signal } from "../processes/process.ts";
import { SIGNALS } from "./commands/kill.ts";

const NAMES: readonly string[] = [...SIGNALS, "ERR", "DEBUG", "RETURN"];

/** The name of a signal as `trap` takes it: with or without SIG, in any case, or a number. */
export function trapName(text: string): string | undefined {
  const name = /^\d+$/.test(text) ? SIGNALS[Number(text)] : text.toUpperCase().replace(/^SIG/, "");
  return NAMES.find((each) => each === name);
}

export function exitCodeOf(signal: Signal): number {
  return 128 + SIGNALS.indexOf(signal);
}

export class Traps {
  readonly handlers = new Map<string, string>();
  readonly #arrived: Signal[] = [];
  readonly #waiting = new Set<() => void>();
  diesBy: Signal | undefined;
  #isUnseen = false;

  list(): [string, string][] {
    return [...this.handlers].sort(([a], [b]) => NAMES.indexOf(a) - NAMES.indexOf(b));
  }

  /** @returns whether the shell handles the signal. If not, the signal ends it. */
  take(signal: Signal): boolean {
    const handler = this.handlers.get(signal);
    if (handler === "") return true;
    if (handler === undefined && !this.handlers.get("EXIT")) return false;
    this.#arrived.push(signal);
    this.#isUnseen = true;
    for (const wake of [...this.#waiting]) wake();
    return true;
  }

  /** Calls a listener when a handled signal arrives. @returns a function that removes the listener. */
  onArrival(listener: () => void): () => void {
    this.#waiting.add(listener);
    if (this.#arrived.length > 0) queueMicrotask(listener);
    return () => this.#waiting.delete(listener);
  }

  see(): boolean {
    const wasUnseen = this.#isUnseen;
    this.#isUnseen = false;
    return wasUnseen;
  }

  /** The next pending signal. Without a handler, the shell exits. */
  next(): { signal: Signal; handler: string | undefined } | undefined {
    const signal = this.#arrived.shift();
    this.#isUnseen = this.#arrived.length > 0;
    if (signal === undefined) return undefined;
    const handler = this.handlers.get(signal);
    if (handler === undefined) this.diesBy = signal;
    return { signal, handler };
  }

  takeExitHandler(): string | undefined {
    this.diesBy ??= this.#arrived.splice(0).find((signal) => !this.handlers.has(signal));
    const handler = this.handlers.get("EXIT");
    this.handlers.delete("EXIT");
    return handler;
  }
}
