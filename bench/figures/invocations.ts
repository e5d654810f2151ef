import type Kernel from "@onkernel/sdk";
import { type DeployedApp, deployApp, invoke } from "../../test/conformance/apps.ts";
import { Samples, time, timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const DEPLOYMENTS = 6;
const ROUNDS = 60;
const AT_ONCE = 50;

/** An action that does nothing, in an app that has no browser. */
const SOURCE = 'app.action("nothing", async (context: KernelContext) => null);';

/** Invoking an action that does nothing, beside a request that does nothing. */
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
  const together: number[] = [];
  const all = await time(() =>
    Promise.all(Array.from({ length: AT_ONCE }, async () => together.push(await time(() => run(app))))),
  );
  const perSecond = ((AT_ONCE / all) * 1000).toFixed(0);
  return [
    {
      figure: "invoke an action, the first time",
      beside: "again",
      berth: new Samples(cold),
      direct: warm.berth,
    },
    { figure: "invoke an action", beside: "GET /health", ...warm },
    {
      figure: `${AT_ONCE} invocations at once: ${perSecond} per second`,
      beside: "one alone",
      berth: new Samples(together),
      direct: warm.berth,
    },
  ];
}
