import { badRequest, conflict } from "../../lib/common/errors.ts";
import { sha256 } from "../../lib/common/hash.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ExtensionRow } from "../../lib/database/schema/extensions.ts";
import { type MultipartPart, readPartBytes, readPartText, withForm } from "../../lib/http/multipart.ts";
import { nameSchema } from "../../lib/http/names.ts";
import { zipKey } from "./extension-files.ts";
import { MAX_ZIP_BYTES, openExtension } from "./extension-zip.ts";
import { listUnsupported } from "./manifest.ts";
import { insertExtension } from "./store.ts";

const MAX_NAME_BYTES = 1024;

/**
 * Stores an extension from a form with `file` and an optional `name`.
 * @throws ServiceError 400 for an invalid form or zip, 409 for a taken name, 413 for a file that is too large
 * or at the quota of stored bytes, 429 at the quota of extensions.
 */
export async function uploadExtension(
  env: Env,
  { organizationId, projectId }: ProjectScope,
  request: Request,
): Promise<ExtensionRow> {
  const { zip, name } = await withForm(request, readForm);
  const { manifest } = await openExtension(zip);
  const row: ExtensionRow = {
    id: newIdentifier(),
    organizationId,
    projectId,
    name,
    sizeBytes: zip.length,
    checksum: await sha256(zip),
    unsupported: listUnsupported(manifest),
    createdAt: Date.now(),
    lastUsedAt: null,
    deletedAt: null,
  };
  // The file is stored first, so that every row has one. The sweep removes a file without a row.
  const key = zipKey(organizationId, row.id);
  await env.FILES.put(key, zip);
  try {
    if (await insertExtension(openDatabase(env.DB), row, readSettings(env).quotas)) return row;
  } catch (error) {
    await env.FILES.delete(key);
    throw error;
  }
  await env.FILES.delete(key);
  throw conflict(`name: another extension is named "${name}"`);
}

async function readForm(
  parts: AsyncIterable<MultipartPart>,
): Promise<{ zip: Uint8Array<ArrayBuffer>; name: string | null }> {
  let zip: Uint8Array<ArrayBuffer> | undefined;
  let name: string | null = null;
  for await (const part of parts) {
    if (part.name === "file") zip = await readPartBytes(part, MAX_ZIP_BYTES);
    else if (part.name === "name") name = readName(await readPartText(part, MAX_NAME_BYTES));
  }
  if (zip === undefined) throw badRequest({ field: "file", message: "is required" });
  return { zip, name };
}

function readName(text: string): string | null {
  if (text === "") return null;
  const parsed = nameSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw badRequest({ field: "name", message: parsed.error.issues[0]?.message ?? "is not valid" });
}
