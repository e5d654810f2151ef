import { pause } from "../common/concurrency.ts";
import { newIdentifier } from "../common/identifiers.ts";
import { logError } from "../common/log.ts";
import type { NewEntry } from "./entry.ts";
import { findOrganizations } from "./queries.ts";
import { auditLogObject } from "./stub.ts";

const FLUSH_DELAY_MS = 1000;

/** Their lines must fit into a row of 2 MB. */
const MAX_BATCH = 500;

/** More entries at once are dropped. */
const MAX_FLUSHES = 20;

/** The platform ends the work of a request 30 seconds after its answer, and may end it earlier. */
const MAX_WORK_MS = 30_000;
const MAX_FLUSH_DELAY_MS = 5000;

/** An entry of an organization, or of a call with a session's URL. */
export interface RecordedCall {
  organizationId?: string;
  sessionId?: string;
  entry: NewEntry;
}

/** Collects the entries of an isolate, and sends them to the logs of their organizations about once a second. */
export class AuditRecorder {
  #pending: RecordedCall[] = [];
  #flushesAt = Number.NEGATIVE_INFINITY;
  #flushes: { startedAt: number }[] = [];

  /** @returns work for the request's `waitUntil`; undefined: that of another request includes this entry. */
  add(env: Env, call: RecordedCall): Promise<void> | undefined {
    this.#pending.push(call);
    if (this.#pending.length >= MAX_BATCH) return this.#flush(env);
    const now = Date.now();
    if (this.#pending.length > 1 && now < this.#flushesAt + MAX_FLUSH_DELAY_MS) return undefined;
    this.#flushesAt = now + FLUSH_DELAY_MS;
    return pause(FLUSH_DELAY_MS).then(() => this.#flush(env));
  }

  async #flush(env: Env): Promise<void> {
    const calls = this.#pending;
    this.#pending = [];
    const flush = { startedAt: Date.now() };
    this.#flushes = this.#flushes.filter(({ startedAt }) => startedAt > flush.startedAt - MAX_WORK_MS);
    if (this.#flushes.length >= MAX_FLUSHES) return logLost(new Error("Too many at once"), calls);
    this.#flushes.push(flush);
    const organizations = await findOrganizations(env, calls).catch((error) => {
      logLost(
        error,
        calls.filter(({ organizationId }) => organizationId === undefined),
      );
      return new Map<string, string>();
    });
    const owned = Map.groupBy(
      calls,
      (call) => call.organizationId ?? organizations.get(call.sessionId ?? ""),
    );
    owned.delete(undefined);
    await Promise.all([...owned].map(([id = "", own]) => send(env, id, own)));
    this.#flushes = this.#flushes.filter((other) => other !== flush);
  }
}

/** Tries twice. The log ignores the second time if the first one arrived. */
async function send(env: Env, organizationId: string, calls: RecordedCall[]): Promise<void> {
  const batch = newIdentifier();
  const entries = calls.map(({ entry }) => entry);
  const append = () => auditLogObject(env, organizationId).append(organizationId, batch, entries);
  await append()
    .catch(append)
    .catch((error) => logLost(error, calls));
}

function logLost(error: unknown, calls: RecordedCall[]): void {
  logError("audit_entries_lost", error, { entries: calls.length, organization_id: calls[0]?.organizationId });
}
