import type Kernel from "@onkernel/sdk";
import { type DeployedApp, deployApp, invoke } from "../../test/conformance/apps.ts";
import { Samples, time, timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const DEPLOYMENTS = 6;
const ROUNDS = 60;
const CONCURRENCY = 50;

const SOURCE = 'app.action("nothing", async (context: KernelContext) => null);';

/** Invoking an action that does nothing, compared with GET /health. */
export async function measureInvocations(kernel: Kernel): Promise<Row[]> {
  const run = async (app: DeployedApp) => {
    const { status, status_reason } = await invoke(kernel, app, "nothing");
    if (status !== "succeeded") throw new Error(`The action failed: ${status_reason}`);
  };
  const cold: number[] = [];
  let app = await deployApp(kernel, SOURCE);
  for (let deployment = 0; deployment < DEPLOYMENTS; deployment += 1) {
    app = await deployApp(kernel, SOURCE);
    cold.push(await time(() => run(app)));
  }
  const warm = await timePair(ROUNDS, {
    berth: () => run(app),
    direct: () => fetch(`${kernel.baseURL}/health`).then((response) => response.text()),
  });
  const concurrent: number[] = [];
  const all = await time(() =>
    Promise.all(Array.from({ length: CONCURRENCY }, async () => concurrent.push(await time(() => run(app))))),
  );
  const perSecond = ((CONCURRENCY / all) * 1000).toFixed(0);
  return [
    {
      figure: "invoke an action, first time",
      baseline: "again",
      berth: new Samples(cold),
      direct: warm.berth,
    },
    { figure: "invoke an action", baseline: "GET /health", ...warm },
    {
      figure: `${CONCURRENCY} concurrent invocations: ${perSecond} per second`,
      baseline: "one alone",
      berth: new Samples(concurrent),
      direct: warm.berth,
    },
  ];
}
