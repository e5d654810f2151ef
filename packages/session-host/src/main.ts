#!/usr/bin/env node
import { availableParallelism, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { findObstacle } from "./sandbox/sandbox.ts";
import { Machines } from "./server/machines.ts";
import { HostServer } from "./server/server.ts";

const MEBIBYTE = 2 ** 20;
const MIN_TOKEN_BYTES = 32;

const USAGE = `Runs Linux machines for the sessions of Berth.

  SESSION_HOST_TOKEN=<at least ${MIN_TOKEN_BYTES} bytes> session-host [options]

  --port 8787            where it listens; 0: any
  --address 0.0.0.0      the network interface
  --folder /tmp/berth    for sockets; a short path
  --max-machines 30      machines at once
  --prepared 2           machines that are started before they are asked for
  --memory-mebibytes     of the processes of one machine; default: half of this computer's
  --files-mebibytes      of the files of one machine, which are in memory; default: a quarter
  --processes 1024       processes and threads of one machine
  --cpus                 processors of one machine; default: all
  --drain-seconds 3600   after SIGTERM, how long it waits for its machines to end

It needs bubblewrap and a kernel that lets it make namespaces; without them, it takes one machine, which is not
confined, and stops after it. As root, machines have two users, kernel and root; otherwise only kernel.`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    port: { type: "string", default: "8787" },
    address: { type: "string", default: "0.0.0.0" },
    folder: { type: "string", default: "/tmp/berth" },
    "max-machines": { type: "string", default: "30" },
    prepared: { type: "string", default: "2" },
    "memory-mebibytes": { type: "string", default: String(Math.floor(totalmem() / MEBIBYTE / 2)) },
    "files-mebibytes": { type: "string", default: String(Math.floor(totalmem() / MEBIBYTE / 4)) },
    processes: { type: "string", default: "1024" },
    cpus: { type: "string", default: String(availableParallelism()) },
    "drain-seconds": { type: "string", default: "3600" },
  },
});

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function numberOf(name: Exclude<keyof typeof values, "help" | "address" | "folder">, min: number): number {
  const number = Number(values[name]);
  if (!Number.isFinite(number) || number < min) fail(`--${name} must be a number from ${min} on`);
  return number;
}

function log(event: string, fields: object = {}): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), event, ...fields }));
}

if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const token = process.env.SESSION_HOST_TOKEN ?? "";
if (Buffer.byteLength(token) < MIN_TOKEN_BYTES)
  fail(`SESSION_HOST_TOKEN must have at least ${MIN_TOKEN_BYTES} bytes`);
// Sandboxes must not inherit it.
delete process.env.SESSION_HOST_TOKEN;
const obstacle = findObstacle();
if (obstacle !== undefined)
  log("not_confined", {
    reason: obstacle,
    consequence: "one machine only, which this program does not outlive",
  });

const machines = new Machines({
  folder: values.folder,
  maxMachines: numberOf("max-machines", 1),
  prepared: obstacle === undefined ? numberOf("prepared", 0) : 0,
  isConfined: obstacle === undefined,
  maxLimits: {
    fileBytes: numberOf("files-mebibytes", 1) * MEBIBYTE,
    files: 1_000_000,
    processes: numberOf("processes", 16),
    tasks: numberOf("processes", 16),
    memoryBytes: numberOf("memory-mebibytes", 64) * MEBIBYTE,
    cpus: numberOf("cpus", 0.1),
  },
  onEvent: log,
});
const server = new HostServer(machines, token);
const port = await server.listen(numberOf("port", 0), values.address);
log("listening", { port });

async function stop(): Promise<void> {
  await machines.close();
  await server.close();
  log("stopped");
  process.exit(0);
}

let isStopping = false;
process.on("SIGTERM", () => {
  if (isStopping) return;
  isStopping = true;
  log("draining", { machines: machines.count });
  setTimeout(() => void stop(), numberOf("drain-seconds", 0) * 1000);
  machines.drain();
});
void machines.drained.then(stop);
process.on("SIGINT", () => void stop());
