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
}

/** The waiting launches of one organization, oldest first. */
interface Line<T> {
  weight: number;
  /** Virtual time at which the first launch is served. */
  start: number;
  launches: T[];
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
  readonly #kinds = {
    session: new FairQueue<T>(),
    pool: new FairQueue<T>(),
    standby: new FairQueue<T>(),
  };

  get size(): number {
    return KINDS.reduce((sum, kind) => sum + this.#kinds[kind].size, 0);
  }

  add(launch: T): void {
    this.#kinds[launch.kind].add(launch);
  }

  /** The launch that {@link take} would return. */
  first(): T | undefined {
    return this.#firstOf()?.first();
  }

  take(): T | undefined {
    return this.#firstOf()?.take();
  }

  /** Returns a taken launch to its place, as if it had not been taken. */
  putBack(launch: T): void {
    this.#kinds[launch.kind].putBack(launch);
  }

  remove(id: string): void {
    for (const kind of KINDS) this.#kinds[kind].removeWhere((launch) => launch.id === id);
  }

  /** Removes the launches that cannot be served by their deadline if the next one is served at `nextAt`. */
  takeHopeless(nextAt: number): T[] {
    return KINDS.flatMap((kind) => this.#kinds[kind].removeWhere(({ deadline }) => deadline <= nextAt));
  }

  /** How many of the waiting launches are served before a new one. */
  ahead({ organizationId, weight, kind }: Pick<T, "organizationId" | "weight" | "kind">): number {
    const before = KINDS.slice(0, KINDS.indexOf(kind));
    const first = before.reduce((sum, other) => sum + this.#kinds[other].size, 0);
    return first + this.#kinds[kind].ahead(organizationId, weight);
  }

  get nextDeadline(): number {
    return Math.min(...KINDS.map((kind) => this.#kinds[kind].nextDeadline));
  }

  #firstOf(): FairQueue<T> | undefined {
    const kind = KINDS.find((name) => this.#kinds[name].size > 0);
    return kind && this.#kinds[kind];
  }
}

class FairQueue<T extends QueuedLaunch> {
  readonly #lines = new Map<string, Line<T>>();
  /** The start of the launch that was served last. */
  #now = 0;
  size = 0;

  get nextDeadline(): number {
    return Math.min(...this.#all().map(({ deadline }) => deadline));
  }

  add(launch: T): void {
    const line = this.#lineOf(launch);
    line.launches.push(launch);
    this.size += 1;
  }

  first(): T | undefined {
    return this.#next()?.launches[0];
  }

  take(): T | undefined {
    const line = this.#next();
    const launch = line?.launches.shift();
    if (line === undefined || launch === undefined) return undefined;
    this.#now = line.start;
    line.start += 1 / line.weight;
    this.size -= 1;
    this.#forgetIdle();
    return launch;
  }

  putBack(launch: T): void {
    const line = this.#lineOf(launch);
    line.start = Math.max(this.#now, line.start - 1 / line.weight);
    line.launches.unshift(launch);
    this.size += 1;
  }

  removeWhere(isWanted: (launch: T) => boolean): T[] {
    const removed = this.#all().filter(isWanted);
    if (removed.length === 0) return removed;
    const gone = new Set(removed);
    for (const line of this.#lines.values()) {
      line.launches = line.launches.filter((launch) => !gone.has(launch));
    }
    this.size -= removed.length;
    this.#forgetIdle();
    return removed;
  }

  ahead(organizationId: string, weight: number): number {
    const own = this.#lines.get(organizationId);
    const start = Math.max(this.#now, own?.start ?? 0) + (own?.launches.length ?? 0) / weight;
    let ahead = own?.launches.length ?? 0;
    // Of lines with equal starts, the one that was added first is served first.
    let isBefore = true;
    for (const line of this.#lines.values()) {
      if (line === own) isBefore = false;
      else ahead += Math.min(line.launches.length, countServed(line, start, isBefore));
    }
    return ahead;
  }

  #all(): T[] {
    return [...this.#lines.values()].flatMap(({ launches }) => launches);
  }

  /** The line with the earliest start; among equals, the one that was added first. */
  #next(): Line<T> | undefined {
    let next: Line<T> | undefined;
    for (const line of this.#lines.values()) {
      if (line.launches.length > 0 && (next === undefined || line.start < next.start)) next = line;
    }
    return next;
  }

  #lineOf({ organizationId, weight }: T): Line<T> {
    const line = this.#lines.get(organizationId) ?? { weight, start: this.#now, launches: [] };
    // Time without waiting launches earns nothing.
    if (line.launches.length === 0) line.start = Math.max(this.#now, line.start);
    line.weight = weight;
    this.#lines.set(organizationId, line);
    return line;
  }

  /** While nobody waits there is nothing to share. */
  #forgetIdle(): void {
    for (const [organizationId, line] of this.#lines) {
      const isIdle = line.launches.length === 0 && (this.size === 0 || line.start <= this.#now);
      if (isIdle) this.#lines.delete(organizationId);
    }
  }
}

/** How many launches of a line start before a virtual time, or at it. */
function countServed<T>({ start, weight }: Line<T>, until: number, isInclusive: boolean): number {
  if (until < start) return 0;
  const launches = (until - start) * weight;
  return isInclusive ? Math.floor(launches) + 1 : Math.ceil(launches);
}
