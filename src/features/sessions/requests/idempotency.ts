import { badRequest } from "../../../lib/common/errors.ts";
import { sha256 } from "../../../lib/common/hash.ts";
import { isRecord } from "../../../lib/common/is-record.ts";

const MAX_KEY_LENGTH = 255;

export function readIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === "" || header.length > MAX_KEY_LENGTH) {
    throw badRequest({ field: "Idempotency-Key", message: `must have 1 to ${MAX_KEY_LENGTH} characters` });
  }
  return header;
}

export function hashBody(body: unknown): Promise<string> {
  return sha256(JSON.stringify(body, (_, value: unknown) => (isRecord(value) ? sortKeys(value) : value)));
}

function sortKeys(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([first], [second]) => (first < second ? -1 : 1)));
}
