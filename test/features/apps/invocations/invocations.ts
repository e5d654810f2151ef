import { env } from "cloudflare:workers";
import type { z } from "zod";
import { invocationSchema } from "../../../../src/features/apps/invocations/schema.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { openDatabase } from "../../../../src/lib/database/client.ts";
import { type InvocationRow, invocations } from "../../../../src/lib/database/schema/apps.ts";
import type { Client } from "../../../api.ts";

export function invocationRow(
  details: Pick<InvocationRow, "organizationId"> & Partial<InvocationRow>,
): InvocationRow {
  return {
    projectId: "",
    id: newIdentifier(),
    appName: "app",
    version: "latest",
    actionName: "action",
    deploymentId: "deployment",
    status: "queued",
    statusReason: null,
    payload: null,
    payloadInFiles: false,
    output: null,
    outputInFiles: false,
    startedAt: Date.now(),
    finishedAt: null,
    logsKept: false,
    grants: null,
    ...details,
  };
}

/** Inserts the row of an invocation that has no object. */
export async function insertInvocationRow(
  details: Pick<InvocationRow, "organizationId"> & Partial<InvocationRow>,
): Promise<InvocationRow> {
  const row = invocationRow(details);
  await openDatabase(env.DB).insert(invocations).values(row);
  return row;
}

export async function listInvocations(
  client: Client,
  query = "",
): Promise<{ ids: string[]; items: z.infer<typeof invocationSchema>[]; headers: Headers }> {
  const answer = await client.get(`/invocations${query}`);
  const items = answer.read(invocationSchema.array());
  return { ids: items.map(({ id }) => id), items, headers: answer.headers };
}
