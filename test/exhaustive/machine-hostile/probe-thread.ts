import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";
import { DevToolsClient } from "../../conformance/devtools-client.ts";
import { pingUntil } from "./probe.ts";

if (parentPort === null) throw new Error("probe-thread.ts must run in a worker thread");

let isStopped = false;
parentPort.once("message", () => {
  isStopped = true;
});

using client = await DevToolsClient.connect(z.string().parse(workerData));
parentPort.postMessage("started");
parentPort.postMessage(await pingUntil(client, () => isStopped));
