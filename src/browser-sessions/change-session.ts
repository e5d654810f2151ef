import type { Viewport } from "../browser/viewport.ts";
import { type Database, openDatabase } from "../database/client.ts";
import type { BrowserSessionRow } from "../database/schema/browser-sessions.ts";
import { conflict, notFound, type ServiceError } from "../http/errors.ts";
import { unwrap } from "../http/outcome.ts";
import type { UpdateSessionBody } from "./schema.ts";
import { sessionObject } from "./session-object.ts";
import { findLivingSession, updateSession } from "./store.ts";

/**
 * Changes a session as its owner asks: all of it, or nothing.
 *
 * @throws ServiceError 404 when it has ended, 409 when the name is taken or somebody looks at the live view that is
 * to be resized, 503 when its browser does not answer.
 */
export async function changeSession(
  env: Env,
  before: BrowserSessionRow,
  { name, tags, viewport }: UpdateSessionBody,
): Promise<BrowserSessionRow> {
  const database = openDatabase(env.DB);
  if (viewport === undefined) return updateRow(database, before, { name, tags });
  // The browser is resized first, as that may be refused; so what the index would refuse is looked for before.
  if (name && name !== before.name) await requireFreeName(database, before.organizationId, name);
  await resize(env, before, viewport.size, viewport.force);
  try {
    return await updateRow(database, before, { name, tags, viewport: viewport.size });
  } catch (error) {
    await resize(env, before, readViewport(before), true);
    throw error;
  }
}

async function requireFreeName(database: Database, organizationId: string, name: string): Promise<void> {
  if ((await findLivingSession(database, organizationId, { name })) !== undefined) throw nameTaken(name);
}

async function resize(env: Env, row: BrowserSessionRow, viewport: Viewport, force: boolean): Promise<void> {
  const { organizationId, lease } = row;
  unwrap(
    await sessionObject(env, row.id).resize({ organizationId, lease: lease ?? undefined }, viewport, force),
  );
}

async function updateRow(
  database: Database,
  before: BrowserSessionRow,
  change: { name?: string; tags?: Record<string, string> | null; viewport?: Viewport },
): Promise<BrowserSessionRow> {
  const { name, tags, viewport } = change;
  const row = await updateSession(database, before, {
    ...(name === undefined ? {} : { name: name === "" ? null : name }),
    ...(tags == null ? {} : { tags }),
    ...(viewport === undefined
      ? {}
      : {
          viewportWidth: viewport.width,
          viewportHeight: viewport.height,
          viewportRefreshRate: viewport.refreshRate,
        }),
  });
  if (row === "name-taken") throw nameTaken(name ?? "");
  if (row === undefined) throw notFound("browser session");
  return row;
}

function nameTaken(name: string): ServiceError {
  return conflict(`name: another active session is named "${name}"`);
}

function readViewport(row: BrowserSessionRow): Viewport {
  return { width: row.viewportWidth, height: row.viewportHeight, refreshRate: row.viewportRefreshRate };
}
