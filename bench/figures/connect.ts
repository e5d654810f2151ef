import { setTimeout } from "node:timers/promises";
import { Service } from "../../test/conformance/service.ts";
import { DevToolsClient } from "../devtools-client.ts";
import { Samples, time } from "../samples.ts";
import type { Row } from "../table.ts";

const STANDBY_ROUNDS = 12;
const POOL_ROUNDS = 100;

const TIMEOUT_MS = 60_000;
const SETTLE_MS = 3000;

/**
 * From opening a connect URL to the first answer of its browser, compared with connecting to a running
 * Chrome.
 */
export async function measureConnect(chromeURL: string): Promise<Row[]> {
  const service = await Service.start({ settings: { STANDBY_BROWSERS: "1" } });
  try {
    const url = `${service.baseURL.replace(/^http/, "ws")}/connect?token=${service.apiKey}`;
    const kernel = service.kernel();
    const mark = service.log.mark();
    // Starts the launch of the first standby browser.
    await connect(url);

    const standby: number[] = [];
    const direct: number[] = [];
    for (let round = 0; round < STANDBY_ROUNDS; round += 1) {
      const launched = { event: "standby_browser_launched" };
      while (service.log.events(launched, mark).length <= round) {
        await service.log.waitForEvent(launched, { since: service.log.mark(), withinMs: TIMEOUT_MS });
      }
      // A standby browser usually waits for longer than its launch keeps the processors busy.
      await setTimeout(SETTLE_MS);
      standby.push(await time(() => connect(url)));
      direct.push(await time(() => connect(chromeURL)));
    }

    const pool = await kernel.browserPools.create({ size: 1 });
    const pooled: number[] = [];
    const beside: number[] = [];
    const pooledURL = `${url}&pool=${pool.id}`;
    await connect(pooledURL);
    for (let round = 0; round < POOL_ROUNDS; round += 1) {
      while ((await kernel.browserPools.retrieve(pool.id)).available_count === 0);
      pooled.push(await time(() => connect(pooledURL)));
      beside.push(await time(() => connect(chromeURL)));
    }

    const shared = { baseline: "Chrome's own connect", target: "60 ms" };
    return [
      {
        ...shared,
        figure: "connect URL with standby",
        berth: new Samples(standby),
        direct: new Samples(direct),
      },
      {
        ...shared,
        figure: "connect URL with a pool",
        berth: new Samples(pooled),
        direct: new Samples(beside),
      },
    ];
  } finally {
    await service.end();
  }
}

async function connect(url: string): Promise<void> {
  const client = await DevToolsClient.connect(url);
  await client.send("Browser.getVersion");
  client.close();
}
