/** In order of priority: a session has a caller who waits, a standby browser is for nobody yet. */
const KINDS = ["session", "pool", "standby"] as const;

export type LaunchKind = (typeof KINDS)[number];

export interface QueuedLaunch {
  /** Unique in the queue. */
  id: string;
  organizationId: string;
  /** The organization's share of launches while others wait, relative to theirs. At least 1. */
  weight: number;
  kind: LaunchKind;
  /** Milliseconds since the epoch. */
  deadline: number;
  /** Its virtual start time, which the queue sets. */
  start: number;
}

/**
 * Launches that wait for a free slot. Kinds are served by priority. Within a kind, organizations share the slots by their
 * weights (start-time fair queueing), and each organization's launches are served in order.
 *
 * @example
 * const queue = new LaunchQueue<QueuedLaunch>();
 * queue.add({ id: "s1", organizationId: "o1", weight: 1, kind: "session", deadline: Date.now() + 20_000 });
 * const next = queue.take();
 */
export class LaunchQueue<T extends QueuedLaunch> {
  /** In the order of service. */
  #waiting: T[] = [];
  /** The virtual time of each kind: the start of the launch that was served last. */
  readonly #now = { session: 0, pool: 0, standby: 0 };
  /** The earliest start of the next launch of each organization and kind. */
  readonly #nextStarts = new Map<string, number>();

  get size(): number {
    return this.#waiting.length;
  }

  get nextDeadline(): number {
    return Math.min(...this.#waiting.map(({ deadline }) => deadline));
  }

  has(id: string): boolean {
    return this.#waiting.some((launch) => launch.id === id);
  }

  add(launch: T): void {
    launch.start = this.#startOfNew(launch);
    this.#nextStarts.set(lineOf(launch), launch.start + 1 / launch.weight);
    this.#waiting.push(launch);
    this.#arrange();
  }

  /** Takes the first launch that may be served. */
  take(mayServe: (launch: T) => boolean = () => true): T | undefined {
    const launch = this.#waiting.find(mayServe);
    if (launch === undefined) return undefined;
    this.#waiting = this.#waiting.filter((other) => other !== launch);
    this.#now[launch.kind] = Math.max(this.#now[launch.kind], launch.start);
    this.#arrange();
    return launch;
  }

  /** Returns a taken launch to its place, as if it had not been taken. */
  putBack(launch: T): void {
    this.#waiting.unshift(launch);
    this.#arrange();
  }

  remove(id: string): void {
    this.#removeWhere((launch) => launch.id === id);
  }

  /** Removes the launches that cannot be served by their deadline if the next one is served at `nextAt`. */
  takeHopeless(nextAt: number): T[] {
    return this.#removeWhere(({ deadline }) => deadline <= nextAt);
  }

  /** How many of the waiting launches are served before a new one. */
  ahead({ kind, organizationId }: Pick<T, "organizationId" | "kind">): number {
    const added = { kind, start: this.#startOfNew({ kind, organizationId }) };
    return this.#waiting.filter((launch) => inOrder(launch, added) <= 0).length;
  }

  /** An organization earns nothing for time without waiting launches. */
  #startOfNew(launch: Pick<T, "organizationId" | "kind">): number {
    return Math.max(this.#now[launch.kind], this.#nextStarts.get(lineOf(launch)) ?? 0);
  }

  /** An organization does not pay for launches that were not served. */
  #removeWhere(isWanted: (launch: T) => boolean): T[] {
    const removed = this.#waiting.filter(isWanted);
    this.#waiting = this.#waiting.filter((launch) => !removed.includes(launch));
    for (const { start, weight, ...line } of removed.toReversed()) {
      const later = this.#waiting.filter((other) => lineOf(other) === lineOf(line) && other.start > start);
      for (const launch of later) launch.start -= 1 / weight;
      this.#nextStarts.set(lineOf(line), (this.#nextStarts.get(lineOf(line)) ?? 0) - 1 / weight);
    }
    this.#arrange();
    return removed;
  }

  /** Sorting is stable, so equals keep their order. While nobody waits there is nothing to share. */
  #arrange(): void {
    this.#waiting.sort(inOrder);
    if (this.#waiting.length === 0) this.#nextStarts.clear();
  }
}

function inOrder(first: Pick<QueuedLaunch, "kind" | "start">, second: typeof first): number {
  return KINDS.indexOf(first.kind) - KINDS.indexOf(second.kind) || first.start - second.start;
}

function lineOf({ kind, organizationId }: Pick<QueuedLaunch, "kind" | "organizationId">): string {
  return `${kind} ${organizationId}`;
}
