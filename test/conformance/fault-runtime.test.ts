import { setTimeout } from "node:timers/promises";
import { toFile } from "@onkernel/sdk";
import { expect, test } from "vitest";
import { buildZip } from "../lib/archives/zip-builder.ts";
import { DevToolsClient } from "./devtools-client.ts";
import { useService } from "./use-service.ts";

const RECOVERY_TIMEOUT_MS = 60_000;

/** The repair after a restart, which does not wait for the next minute. */
const REPAIR_TIMEOUT_MS = 30_000;

const service = await useService();

/** The process that runs the Worker. */
function runtimeProcess() {
  return service.processes().find(({ command }) => / serve .*--control-fd/.test(command));
}

function killRuntime(): number {
  const killed = runtimeProcess();
  if (killed === undefined) throw new Error("The runtime process was not found");
  process.kill(killed.pid, "SIGKILL");
  return killed.pid;
}

function isHealthy(): Promise<boolean> {
  return fetch(`${service.baseURL}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

test("a killed runtime restarts, and sessions keep their browsers", async () => {
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create({ timeout_seconds: 600 });
  const killed = killRuntime();
  await expect.poll(isHealthy, { timeout: RECOVERY_TIMEOUT_MS }).toBe(true);
  expect(runtimeProcess()?.pid).not.toBe(killed);
  expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });
  using client = await DevToolsClient.connect(cdp_ws_url);
  expect(await client.send("Browser.getVersion")).toMatchObject({ product: expect.any(String) });
  await kernel.browsers.deleteByID(session_id);
  await expect.poll(() => service.browsers()).toEqual([]);
});

test("a killed runtime leaves no browser without a session and no deployment that waits", async () => {
  const kernel = service.kernel();
  const deploy = async (index: number) => {
    const content = [
      'import Kernel from "@onkernel/sdk";',
      `new Kernel({ apiKey: "none" }).app("killed-${index}").action("x", async () => 1);`,
    ].join("\n");
    const file = await toFile(buildZip([{ name: "index.ts", content }]), "app.zip");
    return kernel.deployments.create({ file, entrypoint_rel_path: "index.ts" });
  };
  const creates = [0, 1].map(() => kernel.browsers.create());
  const deployments = [];
  for (const index of [0, 1, 2, 3]) {
    deployments.push(deploy(index));
    await setTimeout(20);
  }
  const settled = Promise.allSettled([...creates, ...deployments]);
  await Promise.any(deployments);
  killRuntime();
  await settled;
  await expect.poll(isHealthy, { timeout: RECOVERY_TIMEOUT_MS }).toBe(true);
  const left = async () => {
    const sessions = await Array.fromAsync(kernel.browsers.list());
    const states = (await Array.fromAsync(kernel.deployments.list())).map(({ status }) => status);
    const isUnfinished = (status: string) => status === "queued" || status === "in_progress";
    return { browsers: service.browsers().length - sessions.length, unfinished: states.filter(isUnfinished) };
  };
  await expect.poll(left, { timeout: REPAIR_TIMEOUT_MS }).toEqual({ browsers: 0, unfinished: [] });
});
