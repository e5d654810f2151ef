import { and, gt, isNull, or, type SQL } from "drizzle-orm";
import { sha256 } from "../../../lib/common/hash.ts";
import { newIdentifier } from "../../../lib/common/identifiers.ts";
import { type APIKeyRow, apiKeys } from "../../../lib/database/schema/organizations.ts";
import type { KeyRights } from "./rights.ts";

/** The rights of an organization's first key. */
export const ALL_RIGHTS: KeyRights = {
  projectId: null,
  access: "full",
  maxConcurrentSessions: null,
  requestsPerMinute: null,
};

/** Whether a key is neither deleted nor expired. */
export function isUsable(now: number): SQL | undefined {
  return and(isNull(apiKeys.deletedAt), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)));
}

/** The keys that count against an organization's limit. */
export function countedKeys(now: number) {
  return { kind: "apiKeys", table: apiKeys, isCounted: isUsable(now) } as const;
}

const PREFIX = "berth_";

/** A prefix that secret scanners can find, then 256 random bits. */
export function generateAPIKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const base64 = btoa(String.fromCharCode(...bytes));
  return PREFIX + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function maskAPIKey(key: string): string {
  return key.length < 20 ? "…" : `${key.slice(0, PREFIX.length + 4)}…${key.slice(-4)}`;
}

export async function newAPIKey(
  details: Pick<APIKeyRow, "organizationId" | "name" | "createdBy" | "expiresAt"> & KeyRights,
  now: number,
): Promise<{ key: string; row: APIKeyRow }> {
  const key = generateAPIKey();
  const row: APIKeyRow = {
    ...details,
    id: newIdentifier(),
    keyHash: await sha256(key),
    maskedKey: maskAPIKey(key),
    scope: "organization",
    createdAt: now,
    deletedAt: null,
    lastUsedAt: null,
  };
  return { key, row };
}
