/**
 * Runs the Worker and its browsers until a signal. It is a separate process, so that its parent can clean up
 * after it.
 *
 *   serve.ts <build folder> <path of Chrome>
 */
import { cpSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAddress } from "./address.ts";
import { BrowserServer } from "./browser-platform/server.ts";
import { prepareDatabase } from "./database.ts";
import { readDevVars } from "./dev-vars.ts";
import { LINUX, LinuxMachines } from "./linux-machines.ts";
import { LocalRuntime } from "./runtime.ts";
import { runEveryMinute, serveScheduled, tryScheduled } from "./scheduled.ts";
import { newServiceLog } from "./service-log.ts";
import { readServiceOptions } from "./service-options.ts";
import { runScript, SetUpError } from "./set-up-error.ts";
import { openStateDirectory } from "./state-directory.ts";
import { listenForStop, waitForAbort } from "./stop-request.ts";
import { TCPRelay } from "./tcp-relay.ts";
import { workerBindings } from "./worker-bindings.ts";

/** The grace period of the sweep, which does not apply after a start. */
const SWEEP_GRACE_MS = 120_000;

await runScript(async () => {
  const stop = listenForStop();
  const [, , build, chrome] = process.argv;
  const apiKey = process.env.BERTH_API_KEY;
  if (!build || !chrome || !apiKey)
    throw new SetUpError("serve.ts needs a build folder, a browser and BERTH_API_KEY.");
  const { snapshot, persistence } = openStateDirectory(process.env);
  rmSync(snapshot, { recursive: true, force: true });
  // A copy, so that later builds do not change the running service.
  cpSync(build, snapshot, { recursive: true });
  const { worker, assets, database, browsers } = readServiceOptions(snapshot);
  await prepareDatabase({ ...database, data: persistence }, apiKey);
  const devVars = readDevVars();
  // Opens the backup of a deployment.
  if (process.env.ENCRYPTION_KEY) devVars.ENCRYPTION_KEY = process.env.ENCRYPTION_KEY;
  const server = await BrowserServer.open(chrome, join(tmpdir(), "b"));
  const linux = process.env[LINUX] === "true" ? await LinuxMachines.open(tmpdir()) : undefined;
  try {
    const address = readAddress(process.env);
    const bindings = workerBindings(worker.bindings, { ...devVars, ...linux?.settings }, process.env);
    const runtime = await LocalRuntime.start({
      worker: { ...worker, bindings },
      browsers: { ...browsers, socketPath: server.socketPath },
      assets,
      data: persistence,
      sockets: join(tmpdir(), "r"),
      hosts: [address.host, ...(bindings.PUBLIC_URL ? [new URL(bindings.PUBLIC_URL).hostname] : [])],
      log: newServiceLog(),
      // Repairs what the crash left behind; anything started since then is not touched.
      onRestart: (since) => void tryScheduled(runScheduled, since + SWEEP_GRACE_MS, stop.requested),
    });
    const runScheduled = (time: number) => runtime.runScheduled(time);
    const scheduled = await serveScheduled(runScheduled, join(tmpdir(), "scheduled.sock"));
    const relay = await TCPRelay.listen(address, runtime.socketPath);
    void runEveryMinute(runScheduled, stop.requested, SWEEP_GRACE_MS);
    await waitForAbort(stop.requested);
    relay.close();
    scheduled.close();
    await runtime.stop();
  } finally {
    await linux?.close();
    await server.close();
  }
  return 0;
});
