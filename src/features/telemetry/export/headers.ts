import { z } from "zod";
import { decryptText, encryptText } from "../../../lib/common/encryption.ts";
import { badRequest } from "../../../lib/common/errors.ts";
import type { OTLPDestinationRow } from "../../../lib/database/schema/telemetry.ts";

const MAX_HEADER_BYTES = 8192;

const headersSchema = z.record(z.string(), z.string());

/** @throws DecryptionError */
export async function readHeaders(env: Env, row: OTLPDestinationRow): Promise<Record<string, string>> {
  return headersSchema.parse(JSON.parse(await decryptText(env, ownerOf(row.id), row.encryptedHeaders)));
}

/** @param changes values of headers, or null to remove one. */
export async function encryptHeaders(
  env: Env,
  id: string,
  stored: Record<string, string>,
  changes: Record<string, string | null>,
): Promise<Pick<OTLPDestinationRow, "headerNames" | "encryptedHeaders">> {
  const headers = { ...stored };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  const text = JSON.stringify(headers);
  if (text.length > MAX_HEADER_BYTES) {
    throw badRequest({ field: "headers", message: `must have at most ${MAX_HEADER_BYTES} bytes` });
  }
  return { headerNames: Object.keys(headers), encryptedHeaders: await encryptText(env, ownerOf(id), text) };
}

function ownerOf(id: string): string {
  return `otlp_destination:${id}`;
}
