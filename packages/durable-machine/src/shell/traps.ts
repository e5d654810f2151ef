import type { Signal } from "../processes/process.ts";

export type TrapName =
  | Signal
  | "EXIT"
  | "ERR"
  | "DEBUG"
  | "RETURN"
  | "USR1"
  | "USR2"
  | "PIPE"
  | "QUIT"
  | "ALRM";

const NUMBERS: ReadonlyMap<TrapName, number> = new Map([
  ["EXIT", 0],
  ["HUP", 1],
  ["INT", 2],
  ["QUIT", 3],
  ["KILL", 9],
  ["USR1", 10],
  ["USR2", 12],
  ["PIPE", 13],
  ["ALRM", 14],
  ["TERM", 15],
]);

const NAMES: readonly TrapName[] = [...NUMBERS.keys(), "ERR", "DEBUG", "RETURN"];

/** The name of a signal as `trap` takes it: with or without SIG, in any case, or a number. */
export function trapName(text: string): TrapName | undefined {
  const name = text.toUpperCase().replace(/^SIG/, "");
  return NAMES.find((each) => each === name || String(NUMBERS.get(each)) === text);
}

/** The code that a shell exits with for a signal. */
export function exitCodeOf(signal: Signal): number {
  return 128 + (NUMBERS.get(signal) ?? 0);
}

export class Traps {
  readonly #handlers = new Map<TrapName, string>();
  readonly #arrived: Signal[] = [];
  readonly #waiting = new Set<() => void>();
  #diesBy: Signal | undefined;
  #isUnseen = false;

  /** The signal that the shell is exiting for, if one is its reason. */
  get diesBy(): Signal | undefined {
    return this.#diesBy;
  }

  set(name: TrapName, handler: string): void {
    this.#handlers.set(name, handler);
  }

  remove(name: TrapName): void {
    this.#handlers.delete(name);
  }

  list(): [TrapName, string][] {
    return NAMES.flatMap((name): [TrapName, string][] => {
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
