import type Kernel from "@onkernel/sdk";
import type { BarePlatform } from "../bare-platform.ts";
import { Samples, time, timePair } from "../samples.ts";
import type { Row } from "../table.ts";

/** Few, because bare launches are slow. */
const LAUNCHES = 12;
const CYCLES = 200;

/** Acquiring a warm browser, compared with launching one through the browser binding. */
export async function measurePools(kernel: Kernel, platform: BarePlatform): Promise<Row[]> {
  const { id } = await kernel.browserPools.create({ size: 1 });
  try {
    const release = async ({ session_id }: { session_id: string }) =>
      kernel.browserPools.release(id, { session_id });
    // Wait until the pool has launched its browser.
    await release(await kernel.browserPools.acquire(id, {}));

    const acquires: number[] = [];
    const cycle = async () => {
      const startedAt = performance.now();
      const session = await kernel.browserPools.acquire(id, {});
      acquires.push(performance.now() - startedAt);
      await release(session);
    };
    const cycles: number[] = [];
    for (let round = 0; round < CYCLES; round += 1) cycles.push(await time(cycle));

    const bare: string[] = [];
    const { direct } = await timePair(LAUNCHES, {
      berth: cycle,
      direct: async () => {
        bare.push(await platform.launch());
      },
    });
    for (const browserId of bare) await platform.close(browserId);

    const cycled = new Samples(cycles);
    const perSecond = (1000 / cycled.p50).toFixed(0);
    return [
      {
        figure: "acquire a warm browser",
        baseline: "bare launch",
        target: "30 ms",
        berth: new Samples(acquires),
        direct,
      },
      {
        figure: `acquire and release (${perSecond} per second)`,
        baseline: "bare launch",
        berth: cycled,
        direct,
      },
    ];
  } finally {
    await kernel.browserPools.delete(id, { force: true });
  }
}
