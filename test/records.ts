import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { createSessionBodySchema, newSessionRow, toOptionColumns } from "../src/features/sessions/index.ts";
import { openDatabase } from "../src/lib/database/client.ts";
import {
  type BrowserSessionRow,
  browserSessions,
  idempotencyKeys,
} from "../src/lib/database/schema/browser-sessions.ts";
import { type BrowserRecord, brokerOf } from "../src/platform/broker/index.ts";
import { restartBroker } from "./objects.ts";

const database = openDatabase(env.DB);

/** Inserts the row of a session that has no browser and no object. */
export async function insertSessionRow(
  details: Pick<BrowserSessionRow, "organizationId"> & Partial<BrowserSessionRow>,
): Promise<BrowserSessionRow> {
  const row = sessionRow(details);
  await database.insert(browserSessions).values(row);
  return row;
}

/** With the defaults of the API. */
export function sessionRow(
  details: Pick<BrowserSessionRow, "organizationId"> & Partial<BrowserSessionRow>,
): BrowserSessionRow {
  return newSessionRow({
    ...toOptionColumns(createSessionBodySchema.parse({})),
    extensionIds: [],
    proxyId: null,
    profileId: null,
    state: "active",
    projectId: "",
    ...details,
  });
}

export function insertEndedRow(
  details: Pick<BrowserSessionRow, "organizationId"> & Partial<BrowserSessionRow>,
): Promise<BrowserSessionRow> {
  return insertSessionRow({ state: "ended", deletedAt: Date.now(), endReason: "deleted", ...details });
}

export async function readSessionRow(id: string): Promise<BrowserSessionRow | undefined> {
  const [row] = await database.select().from(browserSessions).where(eq(browserSessions.id, id));
  return row;
}

export function readSessionRows(organizationId: string): Promise<BrowserSessionRow[]> {
  return database.select().from(browserSessions).where(eq(browserSessions.organizationId, organizationId));
}

export function readIdempotencyKeys(organizationId: string) {
  return database.select().from(idempotencyKeys).where(eq(idempotencyKeys.organizationId, organizationId));
}

export async function ageIdempotencyKeys(organizationId: string, byMs: number): Promise<void> {
  for (const { createdAt } of await readIdempotencyKeys(organizationId)) {
    await database
      .update(idempotencyKeys)
      .set({ createdAt: createdAt - byMs })
      .where(eq(idempotencyKeys.organizationId, organizationId));
  }
}

/** Browsers that the broker without a region has recorded and that are not closing. */
export async function readLaunchedBrowsers() {
  const recorded = await brokerOf(env, null).listBrowsers();
  const launched = recorded.filter(({ state }) => state !== "closing");
  return launched.map(({ browserId, sessionId, launchedAt }) => ({ browserId, sessionId, launchedAt }));
}

/** Records a browser as the broker without a region does, and restarts that. */
export async function insertLaunchedBrowser(
  browser: Pick<BrowserRecord, "browserId" | "sessionId" | "launchedAt"> & Partial<BrowserRecord>,
): Promise<void> {
  await runInDurableObject(brokerOf(env, null), (_, { storage: { kv } }) =>
    kv.put(`browser/${browser.browserId}`, {
      organizationId: "",
      kind: "session",
      state: "used",
      ...browser,
    }),
  );
  await restartBroker();
}
