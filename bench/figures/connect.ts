import { setTimeout } from "node:timers/promises";
import { Service } from "../../test/conformance/service.ts";
import { DevToolsClient } from "../devtools-client.ts";
import { pairOf, time } from "../samples.ts";
import type { Row } from "../table.ts";

const STANDBY_ROUNDS = 12;
const POOL_ROUNDS = 100;

const TIMEOUT_MS = 60_000;
const SETTLE_MS = 3000;

/** From opening a connect URL to its browser's first answer, compared with connecting to a running Chrome. */
export async function measureConnect(chromeURL: string): Promise<Row[]> {
  await using cleanUp = new AsyncDisposableStack();
  const service = cleanUp.adopt(await Service.start({ settings: { STANDBY_BROWSERS: "1" } }), (started) =>
    started.end(),
  );
  const url = `${service.baseURL.replace(/^http/, "ws")}/connect?token=${service.apiKey}`;
  const kernel = service.kernel();
  const mark = service.log.mark();
  // Starts the launch of the first standby browser.
  await DevToolsClient.tryConnection(url);

  const standby: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < STANDBY_ROUNDS; round += 1) {
    const launched = { event: "standby_browser_launched" };
    while (service.log.events(launched, mark).length <= round) {
      await service.log.waitForEvent(launched, { since: service.log.mark(), withinMs: TIMEOUT_MS });
    }
    // A standby browser usually waits for longer than its launch keeps the processors busy.
    await setTimeout(SETTLE_MS);
    standby.push(await time(() => DevToolsClient.tryConnection(url)));
    direct.push(await time(() => DevToolsClient.tryConnection(chromeURL)));
  }

  const pool = await kernel.browserPools.create({ size: 1 });
  const pooled: number[] = [];
  const beside: number[] = [];
  const pooledURL = `${url}&pool=${pool.id}`;
  await DevToolsClient.tryConnection(pooledURL);
  for (let round = 0; round < POOL_ROUNDS; round += 1) {
    while ((await kernel.browserPools.retrieve(pool.id)).available_count === 0);
    pooled.push(await time(() => DevToolsClient.tryConnection(pooledURL)));
    beside.push(await time(() => DevToolsClient.tryConnection(chromeURL)));
  }

  const shared = { baseline: "Chrome's own connect", target: "60 ms" };
  return [
    { ...shared, figure: "connect URL with standby", ...pairOf(standby, direct) },
    { ...shared, figure: "connect URL with a pool", ...pairOf(pooled, beside) },
  ];
}
