/** In the order in which an organization's own launches are served: a session has a caller who waits. */
const KINDS = ["session", "pool", "standby"] as const;

export type LaunchKind = (typeof KINDS)[number];

/** What the order of launches depends on. */
interface Claim {
  organizationId: string;
  /** The organization's share of launches while others wait, relative to theirs. At least 1. */
  weight: number;
  kind: LaunchKind;
}

export interface QueuedLaunch extends Claim {
  /** Unique in the queue. */
  id: string;
  /** Milliseconds since the epoch. */
  deadline: number;
}

/**
 * Launches that wait for a free slot. Organizations share the slots by their weights (start-time fair
 * queueing). Standby browsers have no caller yet, so they come last.
 *
 * @example
 * const queue = new LaunchQueue<QueuedLaunch>();
 * queue.add({ id: "s1", organizationId: "o1", weight: 1, kind: "session", deadline: Date.now() + 20_000 });
 * const next = queue.take();
 */
export class LaunchQueue<T extends QueuedLaunch> {
  /** In the order of their arrival. */
  #waiting: T[] = [];
  #added = 0;
  readonly #arrivals = new WeakMap<T, number>();
  /** The virtual time: the start of the launch that was served last. */
  #now = 0;
  /** The earliest virtual start of the next launch of each organization. */
  readonly #nextStarts = new Map<string, number>();

  get size(): number {
    return this.#waiting.length;
  }

  get nextDeadline(): number {
    return Math.min(...this.#waiting.map(({ deadline }) => deadline));
  }

  /** Waiting launches of other kinds. */
  countOthers(kind: LaunchKind): number {
    return this.#waiting.filter((launch) => launch.kind !== kind).length;
  }

  has(id: string): boolean {
    return this.#waiting.some((launch) => launch.id === id);
  }

  add(launch: T): void {
    this.#arrivals.set(launch, ++this.#added);
    this.#waiting.push(launch);
  }

  /** Takes the first launch that may be served. */
  take(mayServe: (launch: T) => boolean = () => true): T | undefined {
    const launch = this.#inOrder(this.#waiting).find(mayServe);
    if (launch === undefined) return undefined;
    this.#now = this.#startOf(launch);
    this.#nextStarts.set(launch.organizationId, this.#now + 1 / launch.weight);
    this.#removeWhere((other) => other === launch);
    return launch;
  }

  /** Returns a taken launch to its place, as if it had not been taken. */
  putBack(launch: T): void {
    this.#nextStarts.set(launch.organizationId, this.#startOf(launch) - 1 / launch.weight);
    const arrivalOf = (waiting: T) => this.#arrivals.get(waiting) ?? 0;
    this.#waiting = [launch, ...this.#waiting].sort((one, other) => arrivalOf(one) - arrivalOf(other));
  }

  remove(id: string): void {
    this.#removeWhere((launch) => launch.id === id);
  }

  /** Removes the launches that cannot be served by their deadline if the next one is served at `nextAt`. */
  takeHopeless(nextAt: number): T[] {
    return this.#removeWhere(({ deadline }) => deadline <= nextAt);
  }

  /** How many of the waiting launches are served before a new one. */
  ahead(added: Claim): number {
    return this.#inOrder<Claim>([...this.#waiting, added]).indexOf(added);
  }

  /** Sorting is stable, so equals keep the order of their arrival. */
  #inOrder<C extends Claim>(launches: readonly C[]): C[] {
    const starts = new Map<C, number>();
    for (const line of Map.groupBy(launches, ({ organizationId }) => organizationId).values()) {
      line.sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
      for (const [index, launch] of line.entries()) {
        starts.set(launch, this.#startOf(launch) + index / launch.weight);
      }
    }
    const startOf = (launch: C) => starts.get(launch) ?? 0;
    return launches.toSorted(
      (one, other) => isStandby(one) - isStandby(other) || startOf(one) - startOf(other),
    );
  }

  /** An organization earns nothing for time without waiting launches. */
  #startOf({ organizationId }: Claim): number {
    return Math.max(this.#now, this.#nextStarts.get(organizationId) ?? 0);
  }

  /** An empty queue has nothing to share. */
  #removeWhere(isWanted: (launch: T) => boolean): T[] {
    const removed = this.#waiting.filter(isWanted);
    this.#waiting = this.#waiting.filter((launch) => !removed.includes(launch));
    if (this.#waiting.length === 0) this.#nextStarts.clear();
    return removed;
  }
}

function isStandby({ kind }: Claim): number {
  return Number(kind === "standby");
}
