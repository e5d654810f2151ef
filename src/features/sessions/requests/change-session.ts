import { conflict, notFound, type ServiceError } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import { unwrap } from "../../../lib/common/outcome.ts";
import { type Database, openDatabase } from "../../../lib/database/client.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";
import type { Viewport } from "../../../platform/browser/index.ts";
import type { CallerReach } from "../../organizations/index.ts";
import { touchProfile } from "../../profiles/index.ts";
import type { TelemetryConfig } from "../../telemetry/index.ts";
import { readViewport, toViewportColumns } from "../options.ts";
import type { SessionReferences } from "../record.ts";
import type { UpdateSessionBody } from "../schema.ts";
import { updateSession } from "../store.ts";
import { sessionObject } from "../stub.ts";
import { selectReferences } from "./select-references.ts";
import { selectTelemetry } from "./select-telemetry.ts";

/**
 * Applies all of the change, or none.
 *
 * @throws ServiceError 400 for an unknown proxy or profile, 403 where a run lacks the grant, 404 when the
 * session has ended, 409 for a taken name, a second profile or a watched live view, 503 when the browser does
 * not respond.
 */
export async function changeSession(
  env: Env,
  caller: CallerReach,
  before: BrowserSessionRow,
  { name, tags, viewport, proxy_id, profile, telemetry }: UpdateSessionBody,
): Promise<BrowserSessionRow> {
  const database = openDatabase(env.DB);
  const selected = await selectReferences(env, caller, { proxy_id, profile });
  const references: Partial<SessionReferences> = {
    ...(proxy_id == null ? {} : { proxyId: selected.proxyId }),
    ...(selected.profile === null
      ? {}
      : { profile: { id: selected.profile.id, saveChanges: profile?.save_changes ?? false } }),
  };
  const labels = { name: name ?? before.name, tags: tags ?? before.tags };
  const recorded = await selectTelemetry(database, caller.organizationId, telemetry, labels);
  // The database may refuse, so it comes first; later failures undo it.
  await updateRow(database, before, { name, tags });
  const undo = [
    () =>
      updateRow(database, before, {
        ...(name === undefined ? {} : { name: before.name ?? "" }),
        ...(tags == null ? {} : { tags: before.tags }),
      }),
  ];
  try {
    if (viewport !== undefined) {
      await resize(env, before, viewport.size, viewport.force);
      undo.push(async () => {
        await resize(env, before, readViewport(before), true);
        return updateRow(database, before, { viewport: readViewport(before) });
      });
      await updateRow(database, before, { viewport: viewport.size });
    }
    if (Object.keys(references).length > 0) await changeReferences(env, before, references);
  } catch (error) {
    const results = await Promise.allSettled(undo.map((step) => step()));
    for (const step of results) {
      if (step.status === "rejected")
        logError("session_change_undo_failed", step.reason, { session_id: before.id });
    }
    throw error;
  }
  if (selected.profile !== null) await touchProfile(database, selected.profile.id, Date.now());
  if (recorded === null) return updateRow(database, before, {});
  // Last, because it cannot fail for a reason that undoes the rest.
  const config = unwrap(await sessionObject(env, before.id).configureTelemetry(toHolder(before), recorded));
  return updateRow(database, before, { telemetry: config });
}

async function resize(env: Env, row: BrowserSessionRow, viewport: Viewport, force: boolean): Promise<void> {
  unwrap(await sessionObject(env, row.id).resize(toHolder(row), viewport, force));
}

async function changeReferences(
  env: Env,
  row: BrowserSessionRow,
  references: Partial<SessionReferences>,
): Promise<void> {
  unwrap(await sessionObject(env, row.id).changeReferences(toHolder(row), references));
}

function toHolder({ organizationId, projectId, invocationId, lease }: BrowserSessionRow) {
  return { organizationId, projectId, invocationId, lease: lease ?? undefined };
}

async function updateRow(
  database: Database,
  before: BrowserSessionRow,
  change: {
    name?: string;
    tags?: Record<string, string> | null;
    viewport?: Viewport;
    telemetry?: TelemetryConfig;
  },
): Promise<BrowserSessionRow> {
  const { name, tags, viewport, telemetry } = change;
  const row = await updateSession(database, before, {
    ...(name === undefined ? {} : { name: name === "" ? null : name }),
    ...(tags == null ? {} : { tags }),
    ...(viewport === undefined ? {} : toViewportColumns(viewport)),
    ...(telemetry === undefined ? {} : { telemetry }),
  });
  if (row === "name-taken") throw nameTaken(name ?? "");
  if (row === undefined) throw notFound("browser session");
  return row;
}

function nameTaken(name: string): ServiceError {
  return conflict(`name: another active session is named "${name}"`);
}
