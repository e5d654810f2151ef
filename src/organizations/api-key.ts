import { sha256 } from "../common/hash.ts";
import { newIdentifier } from "../common/identifiers.ts";
import type { APIKeyRow } from "../database/schema/organizations.ts";

const PREFIX = "berth_";

/** A new API key: a prefix that secret scanners can find, then 256 random bits. */
export function generateAPIKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const base64 = btoa(String.fromCharCode(...bytes));
  return PREFIX + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A key as it may be shown: enough to recognize it, not enough to use it. */
export function maskAPIKey(key: string): string {
  return key.length < 20 ? "…" : `${key.slice(0, PREFIX.length + 4)}…${key.slice(-4)}`;
}

/** Makes a key and the row that remembers it. The key is not in the row. */
export async function newAPIKey(
  details: Pick<APIKeyRow, "organizationId" | "name" | "createdBy" | "expiresAt">,
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
  };
  return { key, row };
}
