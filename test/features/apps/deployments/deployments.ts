import { createExecutionContext, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { z } from "zod";
import {
  type DeploymentEvent,
  deploymentEventSchema,
  deploymentSchema,
} from "../../../../src/features/apps/deployments/schema.ts";
import { deploymentObject } from "../../../../src/features/apps/deployments/stub.ts";
import worker from "../../../../src/index.ts";
import { type Client, ORIGIN, TestResponse } from "../../../api.ts";
import { buildZip } from "../../../lib/archives/zip-builder.ts";

export type AppSources = Record<string, string | Uint8Array>;

export type DeploymentBody = z.infer<typeof deploymentSchema>;

export function appSource(name: string, action = "run"): string {
  return `import Kernel from "@onkernel/sdk";
const kernel = new Kernel();
const app = kernel.app(${JSON.stringify(name)});
app.action(${JSON.stringify(action)}, async (context: { invocation_id: string }) => context.invocation_id);
`;
}

export function zipOf(sources: AppSources): Uint8Array<ArrayBuffer> {
  return buildZip(Object.entries(sources).map(([name, content]) => ({ name, content })));
}

/** Omits fields that are undefined. */
export function deploymentForm(
  zip: Uint8Array<ArrayBuffer> | undefined,
  fields: Record<string, string | undefined> = {},
): FormData {
  const form = new FormData();
  if (zip !== undefined) form.set("file", new File([zip], "app.zip"));
  for (const [name, value] of Object.entries({ entrypoint_rel_path: "index.ts", ...fields })) {
    if (value !== undefined) form.set(name, value);
  }
  return form;
}

export async function postDeployment(client: Client, form: FormData): Promise<TestResponse> {
  const response = await request(client, "POST", "/deployments", form);
  return new TestResponse(response.status, response.headers, await response.bytes());
}

export async function deploy(
  client: Client,
  sources: AppSources,
  fields?: Record<string, string | undefined>,
): Promise<DeploymentBody> {
  const answer = await postDeployment(client, deploymentForm(zipOf(sources), fields));
  return answer.read(deploymentSchema);
}

export async function deployAndWait(
  client: Client,
  sources: AppSources,
  fields?: Record<string, string | undefined>,
): Promise<DeploymentBody> {
  const { id } = await deploy(client, sources, fields);
  return waitUntilSettled(client, id);
}

/** Waits until the deployment is running, failed or stopped. */
export async function waitUntilSettled(client: Client, id: string): Promise<DeploymentBody> {
  const events = await followUntil(client, id, ({ event }) => event === "deployment_state", isSettled);
  const last = events.at(-1);
  if (last?.event !== "deployment_state") throw new Error("The deployment's events ended before it did");
  return last.deployment;
}

/** Reads events up to the first for which `isLast` is true, or to the end. */
export async function readEventsUntil(
  client: Client,
  id: string,
  isLast: (event: DeploymentEvent) => boolean,
  query = "",
): Promise<DeploymentEvent[]> {
  return followUntil(client, id, () => true, isLast, query);
}

export function isSettled(event: DeploymentEvent): boolean {
  return (
    event.event === "deployment_state" && ["running", "failed", "stopped"].includes(event.deployment.status)
  );
}

/** @returns false when no alarm is set. */
export function runAlarm(id: string): Promise<boolean> {
  return runDurableObjectAlarm(deploymentObject(env, id));
}

/** Sends a request whose response can be read as a stream. */
export function request(client: Client, method: string, path: string, body?: FormData): Promise<Response> {
  const headers = { authorization: `Bearer ${client.token}` };
  return worker.fetch(
    new Request(`${ORIGIN}${path}`, { method, headers, body }),
    env,
    createExecutionContext(),
  ) as Promise<Response>;
}

async function followUntil(
  client: Client,
  id: string,
  isWanted: (event: DeploymentEvent) => boolean,
  isLast: (event: DeploymentEvent) => boolean,
  query = "",
): Promise<DeploymentEvent[]> {
  const response = await request(client, "GET", `/deployments/${id}/events${query}`);
  expect(response.status).toBe(200);
  const events: DeploymentEvent[] = [];
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks.filter((line) => line.startsWith("data: "))) {
      const event = deploymentEventSchema.parse(JSON.parse(block.slice("data: ".length)));
      if (isWanted(event)) events.push(event);
      if (isLast(event)) return events;
    }
  }
  return events;
}
