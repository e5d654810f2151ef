import type { Signal } from "../processes/process.ts";
import { SIGNALS } from "./commands/signals.ts";

const NAMES: readonly string[] = [...SIGNALS, "ERR", "DEBUG", "RETURN"];

/** The name of a signal as `trap` takes it: with or without SIG, in any case, or a number. */
export function trapName(text: string): string | undefined {
  const name = /^\d+$/.test(text) ? SIGNALS[Number(text)] : text.toUpperCase().replace(/^SIG/, "");
  return NAMES.find((each) => each === name);
}

/** The code that a shell exits with for a signal. */
export function exitCodeOf(signal: Signal): number {
  return 128 + SIGNALS.indexOf(signal);
}

export class Traps {
  readonly #handlers = new Map<string, string>();
  readonly #arrived: Signal[] = [];
  readonly #waiting = new Set<() => void>();
  #diesBy: Signal | undefined;
  #isUnseen = false;

  /** The signal that the shell is exiting for, if one is its reason. */
  get diesBy(): Signal | undefined {
    return this.#diesBy;
  }

  set(name: string, handler: string): void {
    this.#handlers.set(name, handler);
  }

  remove(name: string): void {
    this.#handlers.delete(name);
  }

  list(): [string, string][] {
    return NAMES.flatMap((name): [string, string][] => {
      const handler = this.#handlers.get(name);
      return handler === undefined ? [] : [[name, handler]];
    });
  }

  /** @returns whether the shell deals with the signal itself; else it dies of it. */
  take(signal: Signal): boolean {
    const handler = this.#handlers.get(signal);
    if (handler === "") return true;
    if (handler === undefined && !this.#handlers.get("EXIT")) return false;
    this.#arrived.push(signal);
    this.#isUnseen = true;
    for (const wake of [...this.#waiting]) wake();
    return true;
  }

  /** Tells when a signal comes that a handler is set for: what waits, waits no more. @returns what ends that. */
  onArrival(listener: () => void): () => void {
    this.#waiting.add(listener);
    if (this.#arrived.length > 0) queueMicrotask(listener);
    return () => this.#waiting.delete(listener);
  }

  /** Whether a signal has come since the shell last looked, which is from now on seen. */
  see(): boolean {
    const wasUnseen = this.#isUnseen;
    this.#isUnseen = false;
    return wasUnseen;
  }

  /** The next signal that has come, and its handler; without one, the shell is to exit for it. */
  next(): { signal: Signal; handler: string | undefined } | undefined {
    const signal = this.#arrived.shift();
    this.#isUnseen = this.#arrived.length > 0;
    if (signal === undefined) return undefined;
    const handler = this.#handlers.get(signal);
    if (handler === undefined) this.#diesBy = signal;
    return { signal, handler };
  }

  /** The handler of the exit, once. Signals that nothing handles are the exit's reason from now on. */
  takeExitHandler(): string | undefined {
    this.#diesBy ??= this.#arrived.splice(0).find((signal) => !this.#handlers.has(signal));
    const handler = this.#handlers.get("EXIT");
    this.#handlers.delete("EXIT");
    return handler;
  }
}
