import type Kernel from "@onkernel/sdk";
import { build } from "esbuild";
import { deployApp } from "../../test/conformance/apps.ts";
import { timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const ROUNDS = 20;

const SOURCE = 'app.action("nothing", async (context: KernelContext) => null);';

/** Deploying a small app, compared with bundling it. */
export async function measureDeployments(kernel: Kernel): Promise<Row[]> {
  const times = await timePair(ROUNDS, {
    berth: () => deployApp(kernel, SOURCE),
    direct: () =>
      build({
        stdin: { contents: SOURCE, loader: "ts" },
        bundle: true,
        write: false,
        format: "esm",
        external: ["@onkernel/sdk"],
      }),
  });
  return [{ figure: "deploy a small app", baseline: "local esbuild", ...times }];
}
