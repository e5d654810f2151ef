import { randomUUID } from "node:crypto";
import type Kernel from "@onkernel/sdk";
import { toFile } from "@onkernel/sdk";
import type { InvocationFollowResponse } from "@onkernel/sdk/resources/invocations";
import { buildZip } from "../lib/archives/zip-builder.ts";

export interface DeployedApp {
  name: string;
  version: string;
  deploymentId: string;
}

/** Number of lines that {@link deployApp} puts before the source. */
export const SOURCE_LINE_OFFSET = 5;

/** Deploys a one-file app and waits until it runs. @param source uses `app`, `kernel`, `KernelContext`. */
export async function deployApp(
  kernel: Kernel,
  source: string,
  { head = "", envVars = {} }: { head?: string; envVars?: Record<string, string> } = {},
): Promise<DeployedApp> {
  const name = `app-${randomUUID().slice(0, 8)}`;
  const content = [
    head,
    'import Kernel, { type KernelContext } from "@onkernel/sdk";',
    "const kernel = new Kernel({ maxRetries: 0 });",
    `const app = kernel.app("${name}");`,
    source,
  ].join("\n");
  const file = await toFile(buildZip([{ name: "index.ts", content }]), "app.zip");
  const { id } = await kernel.deployments.create({
    file,
    entrypoint_rel_path: "index.ts",
    env_vars: envVars,
  });
  for await (const event of await kernel.deployments.follow(id)) {
    if (event.event !== "deployment_state") continue;
    const { status, status_reason } = event.deployment;
    if (status === "running") return { name, version: "latest", deploymentId: id };
    if (status === "failed") throw new Error(`Deployment failed: ${status_reason}`);
  }
  throw new Error("The deployment's events ended before it was running");
}

interface InvokeOptions {
  payload?: unknown;
  /** In seconds. */
  timeout?: number;
}

/** Invokes an action and waits for it to finish. */
export function invoke(kernel: Kernel, app: DeployedApp, action: string, { payload }: InvokeOptions = {}) {
  return kernel.invocations.create({
    app_name: app.name,
    version: app.version,
    action_name: action,
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
  });
}

/** Invokes an action without waiting. @returns the invocation's id. */
export async function invokeAsync(
  kernel: Kernel,
  app: DeployedApp,
  action: string,
  { payload, timeout }: InvokeOptions = {},
): Promise<string> {
  const { id } = await kernel.invocations.create({
    app_name: app.name,
    version: app.version,
    action_name: action,
    async: true,
    ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    ...(timeout === undefined ? {} : { async_timeout_seconds: timeout }),
  });
  return id;
}

/** All events of an invocation, up to its end. */
export async function followToEnd(kernel: Kernel, id: string): Promise<InvocationFollowResponse[]> {
  return Array.fromAsync(await kernel.invocations.follow(id));
}

export async function waitForLogLine(kernel: Kernel, id: string, line: string): Promise<void> {
  const events = await kernel.invocations.follow(id);
  let last: InvocationFollowResponse | undefined;
  for await (const event of events) {
    if (event.event === "log" && event.message === line) return;
    last = event;
  }
  throw new Error(`The invocation ended before it logged ${JSON.stringify(line)}: ${JSON.stringify(last)}`);
}

export function logLines(events: InvocationFollowResponse[]): string[] {
  return events.flatMap((event) => (event.event === "log" ? [event.message] : []));
}

export function statesOf(events: InvocationFollowResponse[]): string[] {
  return events.flatMap((event) => (event.event === "invocation_state" ? [event.invocation.status] : []));
}
