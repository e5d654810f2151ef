import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import {
  type CreatedInvocationBody,
  createdInvocationSchema,
  type InvocationBody,
  type InvocationEvent,
  invocationEventSchema,
  invocationSchema,
} from "../../../../src/features/apps/invocations/schema.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { type AppRow, type InvocationRow, invocations } from "../../../../src/lib/database/schema/apps.ts";
import type { Client } from "../../../api.ts";
import { crashObject } from "../../../objects.ts";

interface InvokeOptions {
  payload?: string;
  async_timeout_seconds?: number;
}

export async function invoke(
  client: Client,
  { name: app_name, version }: AppRow,
  action_name: string,
  options: InvokeOptions = {},
): Promise<CreatedInvocationBody> {
  const answer = await client.post("/invocations", { app_name, version, action_name, ...options });
  return answer.read(createdInvocationSchema);
}

/** @returns the id of the invocation. */
export async function invokeAsync(
  client: Client,
  { name: app_name, version }: AppRow,
  action_name: string,
  options: InvokeOptions = {},
): Promise<string> {
  const body = { app_name, version, action_name, async: true, ...options };
  const answer = await client.post("/invocations", body);
  expect(answer.status, answer.text).toBe(202);
  const created = createdInvocationSchema.parse(answer.json);
  expect(created).toMatchObject({ status: "queued", action_name });
  return created.id;
}

export async function readInvocation(client: Client, id: string): Promise<InvocationBody> {
  return (await client.get(`/invocations/${id}`)).read(invocationSchema);
}

export async function waitForStatus(
  client: Client,
  id: string,
  status: InvocationBody["status"],
): Promise<InvocationBody> {
  await expect.poll(async () => (await readInvocation(client, id)).status).toBe(status);
  return readInvocation(client, id);
}

export async function readEvents(client: Client, id: string, query = ""): Promise<InvocationEvent[]> {
  const answer = await client.get(`/invocations/${id}/events${query}`);
  expect(answer.status, answer.text).toBe(200);
  return parseEvents(answer.text);
}

export function parseEvents(text: string): InvocationEvent[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
    invocationEventSchema.parse(JSON.parse(data)),
  );
}

export function linesOf(events: InvocationEvent[]): string[] {
  return events.flatMap((event) => (event.event === "log" ? [event.message] : []));
}

export function statesOf(events: InvocationEvent[]): string[] {
  return events.flatMap((event) => (event.event === "invocation_state" ? [event.invocation.status] : []));
}

export async function readInvocationRow(id: string): Promise<InvocationRow | undefined> {
  const [row] = await openDatabase(env.DB).select().from(invocations).where(eq(invocations.id, id));
  return row;
}

export function restartInvocation(id: string): Promise<void> {
  return crashObject(env.INVOCATION.getByName(id));
}

/** @returns false when no alarm is set. */
export function runInvocationAlarm(id: string): Promise<boolean> {
  return runDurableObjectAlarm(env.INVOCATION.getByName(id));
}
