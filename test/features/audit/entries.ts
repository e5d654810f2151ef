import { env } from "cloudflare:workers";
import type { NewEntry } from "../../../src/features/audit/entry.ts";
import type { AuditLog } from "../../../src/features/audit/object.ts";
import { type AuditLogEntry, auditLogEntrySchema } from "../../../src/features/audit/schema.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import type { Client } from "../../api.ts";

const HOUR_MS = 3_600_000;

export function newEntry(details: Partial<NewEntry> = {}): NewEntry {
  return {
    event_id: newIdentifier(),
    timestamp: new Date().toISOString(),
    method: "GET",
    path: "/browsers",
    route: "/browsers",
    domain: "berth.test",
    service: "api",
    status: 200,
    duration_ms: 1,
    auth_strategy: "api_key",
    user_id: "key",
    email: "",
    client_ip: "203.0.113.7",
    user_agent: "test",
    ...details,
  };
}

export function logOf(organizationId: string): DurableObjectStub<AuditLog> {
  return env.AUDIT_LOG.getByName(organizationId);
}

/** Appends one batch to an organization's log. */
export async function append(organizationId: string, ...entries: Partial<NewEntry>[]): Promise<void> {
  await logOf(organizationId).append(organizationId, newIdentifier(), entries.map(newEntry));
}

/** Appends entries in batches of 500, whose paths are /0, /1 and so on. */
export async function appendMany(organizationId: string, count: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, number) => ({ path: `/${number}` }));
  for (let start = 0; start < count; start += 500) {
    await append(organizationId, ...entries.slice(start, start + 500));
  }
}

/** A query for the calls of the last hour and the next. */
export function recentRange(): string {
  const [start, end] = [-HOUR_MS, HOUR_MS].map((offset) => new Date(Date.now() + offset).toISOString());
  return `start=${start}&end=${end}`;
}

export async function listEntries(client: Client, query = ""): Promise<AuditLogEntry[]> {
  const answer = await client.get(`/audit-logs?${recentRange()}&${query}`);
  return answer.read(auditLogEntrySchema.array());
}
