import { pause } from "../common/concurrency.ts";
import { newIdentifier } from "../common/identifiers.ts";
import { logError } from "../common/log.ts";
import type { NewEntry } from "./entry.ts";
import { findOrganizations } from "./queries.ts";
import { auditLogObject } from "./stub.ts";

const FLUSH_DELAY_MS = 1000;

/** Their lines must fit into a row of 2 MB. */
const MAX_BATCH = 500;

const MAX_HELD = 10_000;

/** Later, the platform has ended the request whose work was to flush. */
const MAX_FLUSH_MS = 5000;

/** An entry of an organization, or of a call with a session's URL. */
export interface RecordedCall {
  organizationId?: string;
  sessionId?: string;
  entry: NewEntry;
}

/** Collects the entries of an isolate, and sends them to the logs of their organizations about once a second. */
export class AuditRecorder {
  #pending: RecordedCall[] = [];
  /** Entries that are pending or being sent. */
  #held = 0;
  #dropped = 0;
  #flushesAt = Number.NEGATIVE_INFINITY;

  /** @returns work for the request's `waitUntil`; undefined: that of another request includes this entry. */
  add(env: Env, call: RecordedCall): Promise<void> | undefined {
    if (this.#held >= MAX_HELD) {
      this.#dropped += 1;
      return undefined;
    }
    this.#held += 1;
    this.#pending.push(call);
    if (this.#pending.length >= MAX_BATCH) return this.#flush(env);
    const now = Date.now();
    if (this.#pending.length > 1 && now < this.#flushesAt + MAX_FLUSH_MS) return undefined;
    this.#flushesAt = now + FLUSH_DELAY_MS;
    return pause(FLUSH_DELAY_MS).then(() => this.#flush(env));
  }

  async #flush(env: Env): Promise<void> {
    const calls = this.#pending;
    this.#pending = [];
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) logError("audit_entries_dropped", new Error("Too many at once"), { entries: dropped });
    try {
      const organizations = await findOrganizations(env, calls);
      const owned = Map.groupBy(
        calls,
        (call) => call.organizationId ?? organizations.get(call.sessionId ?? ""),
      );
      owned.delete(undefined);
      await Promise.all([...owned].map(([id = "", own]) => send(env, id, own)));
    } catch (error) {
      logError("audit_entries_lost", error, { entries: calls.length });
    } finally {
      this.#held -= calls.length;
    }
  }
}

/** Tries twice. The log ignores the second time if the first one arrived. */
async function send(env: Env, organizationId: string, calls: RecordedCall[]): Promise<void> {
  const batch = newIdentifier();
  const entries = calls.map(({ entry }) => entry);
  const append = () => auditLogObject(env, organizationId).append(organizationId, batch, entries);
  await append()
    .catch(append)
    .catch((error) => {
      logError("audit_entries_lost", error, { organization_id: organizationId, entries: entries.length });
    });
}
