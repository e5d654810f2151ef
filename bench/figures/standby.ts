import type Kernel from "@onkernel/sdk";
import { Service } from "../../test/conformance/service.ts";
import { pairOf, time } from "../samples.ts";
import type { Row } from "../table.ts";

const ROUNDS = 12;

const LAUNCH_TIMEOUT_MS = 60_000;

/** Creating a session with a standby browser, compared with a service without standby browsers. */
export async function measureStandby(without: Kernel): Promise<Row[]> {
  await using cleanUp = new AsyncDisposableStack();
  const service = cleanUp.adopt(await Service.start({ settings: { STANDBY_BROWSERS: "1" } }), (started) =>
    started.end(),
  );
  const kernel = service.kernel();
  const berth: number[] = [];
  const direct: number[] = [];
  let mark = service.log.mark();
  // Starts the launch of the first standby browser.
  await create(kernel);
  for (let round = 0; round < ROUNDS; round += 1) {
    await service.log.waitForEvent(
      { event: "standby_browser_launched" },
      { since: mark, withinMs: LAUNCH_TIMEOUT_MS },
    );
    mark = service.log.mark();
    berth.push(await time(() => create(kernel)));
    direct.push(await time(() => create(without)));
  }
  const pair = pairOf(berth, direct);
  return [{ figure: "POST /browsers with standby", baseline: "without standby", target: "150 ms", ...pair }];
}

async function create(kernel: Kernel): Promise<void> {
  await kernel.browsers.create({ timeout_seconds: 10 });
}
