/** Times of one operation, in milliseconds. */
export class Samples {
  readonly #sorted: number[];

  constructor(times: readonly number[]) {
    this.#sorted = times.toSorted((first, second) => first - second);
  }

  /** The time that this share of the samples, from 0 to 1, does not exceed. */
  percentile(share: number): number {
    const index = Math.min(this.#sorted.length - 1, Math.floor(share * this.#sorted.length));
    return this.#sorted[index] ?? Number.NaN;
  }

  get p50(): number {
    return this.percentile(0.5);
  }

  get p99(): number {
    return this.percentile(0.99);
  }
}

/** Two ways of doing the same. */
export interface Pair {
  berth: Samples;
  direct: Samples;
}

/**
 * Times both ways in turn, so that a machine that slows down slows both. The first tenth of the rounds, at least
 * one, warms up and is not counted.
 */
export async function timePair(
  rounds: number,
  ways: { berth: () => Promise<unknown>; direct: () => Promise<unknown> },
): Promise<Pair> {
  const berth: number[] = [];
  const direct: number[] = [];
  const warmUp = Math.max(1, Math.floor(rounds / 10));
  for (let round = -warmUp; round < rounds; round += 1) {
    const [berthTime, directTime] = [await time(ways.berth), await time(ways.direct)];
    if (round < 0) continue;
    berth.push(berthTime);
    direct.push(directTime);
  }
  return { berth: new Samples(berth), direct: new Samples(direct) };
}

/** How long work takes, in milliseconds. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
