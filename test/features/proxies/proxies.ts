import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import type { z } from "zod";
import { proxySchema } from "../../../src/features/proxies/schema.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import {
  type ProxyCheckRow,
  type ProxyRow,
  proxies,
  proxyChecks,
} from "../../../src/lib/database/schema/proxies.ts";
import type { Client } from "../../api.ts";

const database = openDatabase(env.DB);

export async function createProxy(
  client: Client,
  body: object = { type: "isp" },
): Promise<z.infer<typeof proxySchema>> {
  const response = await client.post("/proxies", body);
  expect(response.status, response.text).toBe(201);
  return proxySchema.parse(response.json);
}

export async function readProxyRow(id: string): Promise<ProxyRow | undefined> {
  const [row] = await database.select().from(proxies).where(eq(proxies.id, id));
  return row;
}

export function readChecks(proxyId: string): Promise<ProxyCheckRow[]> {
  return database.select().from(proxyChecks).where(eq(proxyChecks.proxyId, proxyId));
}

export async function changeProxyRow(id: string, change: Partial<ProxyRow>): Promise<void> {
  await database.update(proxies).set(change).where(eq(proxies.id, id));
}
