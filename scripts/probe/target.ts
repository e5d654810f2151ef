import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { findFreePort } from "../local/address.ts";
import { runCommand } from "../local/command.ts";
import { prepareDevVars, readDevVars } from "../local/dev-vars.ts";
import { waitUntilHealthy } from "../local/health.ts";
import { ROOT, WRANGLER } from "../local/paths.ts";
import { readProcessTable } from "../local/process-table.ts";
import { findProcessTree } from "../local/process-tree.ts";
import { followLines } from "../local/service-output.ts";
import { SetUpError } from "../local/set-up-error.ts";
import type { StopRequest } from "../local/stop-request.ts";
import { SupervisedProcess } from "../local/supervised-process.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../local/temporary-folder.ts";

const SCRIPTS = join(ROOT, "scripts");
const TAIL_START_MS = 10_000;

/** workerd, which the local runtime starts again. */
const RUNTIME = / serve .*--control-fd/;

/** A service that is probed. */
export interface Target extends AsyncDisposable {
  baseURL: string;
  adminToken: string;
  isLocal: boolean;
  /** Replaces the running code, as a deployment does. Undefined: it may not. */
  redeploy?: () => Promise<void>;
  /** What the service has logged so far. Undefined: its log cannot be read. */
  log?: readonly string[];
}

/** A separate service on this machine, without stored state. */
export async function startLocalTarget(stop: StopRequest): Promise<Target> {
  prepareDevVars();
  const port = await findFreePort();
  await using cleanUp = new AsyncDisposableStack();
  const temporaryFolder = cleanUp.adopt(makeTemporaryFolder(), removeTemporaryFolder);
  const program = [join(SCRIPTS, "bootstrap.mjs"), join(SCRIPTS, "start.ts")];
  const service = new SupervisedProcess(process.execPath, program, {
    env: {
      ...process.env,
      PORT: String(port),
      HOST: "127.0.0.1",
      BERTH_API_KEY: `probe-${crypto.randomUUID()}`,
      BERTH_STATE_DIRECTORY: join(temporaryFolder, "state"),
    },
    stdio: ["ignore", "pipe", "pipe"],
    temporaryFolder,
  });
  const log: string[] = [];
  followLines(service.child, (line) => log.push(line));
  cleanUp.defer(() => service.stop(stop.forced));
  const baseURL = `http://127.0.0.1:${port}`;
  const ended = service.ended.then(() => {
    throw new SetUpError(`The service ended before it was ready:\n\n${log.slice(-20).join("\n")}`);
  });
  ended.catch(() => undefined);
  await Promise.race([waitUntilHealthy(baseURL, stop.requested), ended]);
  stop.requested.throwIfAborted();
  const running = cleanUp.move();
  return {
    baseURL,
    adminToken: readDevVars().ADMIN_TOKEN ?? "",
    isLocal: true,
    redeploy: async () => restartRuntime(temporaryFolder),
    log,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** @throws SetUpError without ADMIN_TOKEN. */
export async function openRemoteTarget(
  url: string,
  { redeploys, tails }: { redeploys: boolean; tails: boolean },
): Promise<Target> {
  const adminToken = process.env.ADMIN_TOKEN;
  if (!adminToken) throw new SetUpError("Set ADMIN_TOKEN to the operator's token of the deployed service.");
  const tail = tails ? await startTail() : undefined;
  return {
    baseURL: url,
    adminToken,
    isLocal: false,
    ...(redeploys && { redeploy: deploy }),
    ...(tail && {
      get log() {
        return readTail(tail.log.join("\n"));
      },
    }),
    [Symbol.asyncDispose]: async () => void tail?.child.kill(),
  };
}

async function deploy(): Promise<void> {
  await runCommand(process.execPath, [join(SCRIPTS, "deploy.ts"), "--yes"], { title: "Deploying" });
}

/** The tail also contains request URLs, which the stored log does not. */
const tailedSchema = z.object({
  logs: z.array(z.object({ message: z.unknown() })),
  exceptions: z.array(z.object({ message: z.unknown(), stack: z.unknown() })),
});

/** @param output indented JSON documents, of which the last may be incomplete. @returns what was logged. */
export function readTail(output: string): string[] {
  return output
    .split(/(?<=^\})\s*\n/m)
    .filter((text) => /^\}$/m.test(text))
    .map((text) => JSON.stringify(tailedSchema.parse(JSON.parse(text))));
}

async function startTail(): Promise<{ child: ChildProcess; log: readonly string[] }> {
  const child = spawn(process.execPath, [WRANGLER, "tail", "--format", "json"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log: string[] = [];
  followLines(child, (line) => log.push(line));
  // It does not say when it is connected.
  await setTimeout(TAIL_START_MS);
  if (child.exitCode !== null) throw new SetUpError(`wrangler tail failed:\n\n${log.join("\n")}`);
  return { child, log };
}

function restartRuntime(marker: string): void {
  const runtime = findProcessTree(readProcessTable(), { known: [], marker }).find(({ command }) =>
    RUNTIME.test(command),
  );
  if (runtime === undefined) throw new Error("the runtime's process was not found");
  process.kill(runtime.pid, "SIGKILL");
}
