/** Durations in milliseconds. */
export class Samples {
  readonly #sorted: number[];

  constructor(times: readonly number[]) {
    this.#sorted = times.toSorted((first, second) => first - second);
  }

  /** @param share from 0 to 1. */
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

/** Samples of Berth and of its baseline. */
export interface Pair {
  berth: Samples;
  direct: Samples;
}

export function pairOf(berth: readonly number[], direct: readonly number[]): Pair {
  return { berth: new Samples(berth), direct: new Samples(direct) };
}

/**
 * Alternates between Berth and its baseline, so that a slow moment affects both. The first rounds are
 * warm-up.
 */
export async function timePair(
  rounds: number,
  work: { berth: () => Promise<unknown>; direct: () => Promise<unknown> },
): Promise<Pair> {
  const berth: number[] = [];
  const direct: number[] = [];
  const warmUp = Math.max(1, Math.floor(rounds / 10));
  for (let round = -warmUp; round < rounds; round += 1) {
    const [berthTime, directTime] = [await time(work.berth), await time(work.direct)];
    if (round < 0) continue;
    berth.push(berthTime);
    direct.push(directTime);
  }
  return pairOf(berth, direct);
}

/** @returns the duration in milliseconds. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
