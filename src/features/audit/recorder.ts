import { pause } from "../../lib/common/concurrency.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logError } from "../../lib/common/log.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { findOwners } from "../sessions/index.ts";
import type { NewEntry } from "./entry.ts";

/** Their lines must fit into a row of 2 MB. */
const MAX_BATCH = 500;

/** Any further entries of the organization are dropped in the meantime. */
const MAX_SENDS = 20;

/** The platform ends the work of a request 30 seconds after its answer, and may end it earlier. */
const MAX_WORK_MS = 30_000;
const MAX_FLUSH_DELAY_MS = 5000;

/** An entry of an organization, or of a call with a session's URL. */
export type RecordedCall = { entry: NewEntry } & ({ organizationId: string } | { sessionId: string });

/** Collects the entries of an isolate, and sends them to their organizations' logs about once a second. */
export class AuditRecorder {
  /** Tests shorten it. */
  flushDelayMs = 1000;
  #pending: RecordedCall[] = [];
  #flushesAt = Number.NEGATIVE_INFINITY;
  #sends: { organizationId: string; startedAt: number }[] = [];

  /** @returns work for the request's `waitUntil`; undefined if another request's work includes this entry. */
  add(env: Env, call: RecordedCall): Promise<void> | undefined {
    this.#pending.push(call);
    if (this.#pending.length >= MAX_BATCH) return this.#flush(env);
    const now = Date.now();
    if (this.#pending.length > 1 && now < this.#flushesAt + MAX_FLUSH_DELAY_MS) return undefined;
    this.#flushesAt = now + this.flushDelayMs;
    return pause(this.flushDelayMs).then(() => this.#flush(env));
  }

  async #flush(env: Env): Promise<void> {
    const calls = this.#pending;
    this.#pending = [];
    const ofSessions = calls.flatMap((call) => ("sessionId" in call ? call.sessionId : []));
    const owners = await findOwners(openDatabase(env.DB), ofSessions).catch((error) => {
      logLost(error, ofSessions.length);
      return new Map<string, string>();
    });
    const ownerOf = (call: RecordedCall) =>
      "sessionId" in call ? owners.get(call.sessionId) : call.organizationId;
    const owned = Map.groupBy(calls, ownerOf);
    owned.delete(undefined);
    await Promise.all([...owned].map(([id = "", own]) => this.#send(env, id, own)));
  }

  /** Tries twice. The log ignores the second attempt if the first one arrived. */
  async #send(env: Env, organizationId: string, calls: RecordedCall[]): Promise<void> {
    const send = { organizationId, startedAt: Date.now() };
    this.#sends = this.#sends.filter(({ startedAt }) => startedAt > send.startedAt - MAX_WORK_MS);
    const own = this.#sends.filter((other) => other.organizationId === organizationId);
    if (own.length >= MAX_SENDS) return logLost(new Error("Too many at once"), calls.length, organizationId);
    this.#sends.push(send);
    const batch = newIdentifier();
    const entries = calls.map(({ entry }) => entry);
    const append = () => env.AUDIT_LOG.getByName(organizationId).append(organizationId, batch, entries);
    await append()
      .catch(append)
      .catch((error) => logLost(error, entries.length, organizationId));
    this.#sends = this.#sends.filter((other) => other !== send);
  }
}

function logLost(error: unknown, entries: number, organization_id?: string): void {
  logError("audit_entries_lost", error, { entries, organization_id });
}
