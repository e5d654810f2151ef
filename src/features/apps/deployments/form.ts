import { ArchiveError } from "../../../lib/archives/archive-error.ts";
import { badRequest, ServiceError } from "../../../lib/common/errors.ts";
import type { Grants } from "../../../lib/database/schema/apps.ts";
import { type MultipartPart, readPartBytes, readPartText } from "../../../lib/http/multipart.ts";
import { ZippedFiles } from "../../../platform/dynamic-workers/runtime/bundling/app-files.ts";
import { EnvVarsForm } from "./env-vars.ts";
import { REGION } from "./schema.ts";

export const MAX_ZIP_BYTES = 20 * 1024 * 1024;

const MAX_TEXT_BYTES = 4096;
const MAX_VALUE_BYTES = 64 * 1024;
const MAX_VERSION_LENGTH = 255;

const ENTRYPOINT = /\.[cm]?[jt]s$|\.[jt]sx$/;

/** Clients encode a field of an object in either way. */
const ENV_VAR_FIELD = /^env_vars(?:\[(?<bracketed>.*)\]|\.(?<dotted>.*))$/s;

interface DeploymentForm {
  zip: Uint8Array<ArrayBuffer>;
  entrypoint: string;
  version: string;
  force: boolean;
  envVars: Record<string, string>;
  grants: Grants | null;
}

/** @throws ServiceError 400 that names the field, 413 for a zip that is too large. */
export async function readDeploymentForm(parts: AsyncIterable<MultipartPart>): Promise<DeploymentForm> {
  const fields = new Map<string, string>();
  const variables = new EnvVarsForm();
  let zip: Uint8Array<ArrayBuffer> | undefined;
  for await (const part of parts) {
    const name = readVariableName(part.name);
    if (part.name === "file") zip = await readPartBytes(part, MAX_ZIP_BYTES);
    else if (name !== undefined) variables.add(name, await readPartText(part, MAX_VALUE_BYTES));
    else if (part.name === "env_vars") variables.addObject(await readPartText(part, MAX_VALUE_BYTES));
    else fields.set(part.name, await readPartText(part, MAX_TEXT_BYTES));
  }
  rejectSource(fields);
  if (zip === undefined) throw badRequest({ field: "file", message: "is required" });
  const region = fields.get("region") || REGION;
  if (region !== REGION) throw badRequest({ field: "region", message: `must be ${REGION}` });
  const form = {
    zip,
    entrypoint: readEntrypoint(fields.get("entrypoint_rel_path")),
    version: readVersion(fields.get("version")),
    force: readForce(fields.get("force")),
    envVars: variables.read(),
    grants: readGrants(fields),
  };
  await requireEntrypoint(form);
  return form;
}

function readVariableName(field: string): string | undefined {
  if (!field.startsWith("env_vars") || field === "env_vars") return;
  const { bracketed, dotted } = ENV_VAR_FIELD.exec(field)?.groups ?? {};
  const name = bracketed ?? dotted;
  if (name === undefined) throw badRequest({ field, message: "must be env_vars[NAME] or env_vars.NAME" });
  return name;
}

function rejectSource(fields: Map<string, string>): void {
  if (!fields.has("source")) return;
  throw badRequest({
    field: "source",
    message: "deploying from a repository is not supported; send a zip as file",
  });
}

function readGrants(fields: Map<string, string>): Grants | null {
  const read = (field: string) =>
    (fields.get(field) ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
  const grants = { profiles: read("profiles"), proxies: read("proxies") };
  return grants.profiles.length + grants.proxies.length === 0 ? null : grants;
}

function readEntrypoint(text = ""): string {
  const field = "entrypoint_rel_path";
  const path = text.replace(/^(\.\/+)+/, "");
  if (path === "") throw badRequest({ field, message: "is required" });
  if (path.endsWith(".py")) {
    throw badRequest({
      field,
      message: "Python apps are not supported; use TypeScript or JavaScript",
    });
  }
  if (!ENTRYPOINT.test(path)) {
    throw badRequest({ field, message: "must be a TypeScript or JavaScript file, such as index.ts" });
  }
  return path;
}

function readVersion(text = ""): string {
  if (text.length <= MAX_VERSION_LENGTH) return text || "latest";
  throw badRequest({ field: "version", message: `must have at most ${MAX_VERSION_LENGTH} characters` });
}

function readForce(text = ""): boolean {
  if (!["", "true", "false"].includes(text)) {
    throw badRequest({ field: "force", message: "must be true or false" });
  }
  return text === "true";
}

/** Finds files as the bundler does, without unpacking them. */
async function requireEntrypoint({ zip, entrypoint }: DeploymentForm): Promise<void> {
  try {
    const files = await ZippedFiles.open(zip);
    if (files.has(entrypoint)) return;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    if (error.reason === "too_large") throw new ServiceError("payload_too_large", `file: ${error.message}`);
    throw badRequest({ field: "file", message: error.message });
  }
  throw badRequest({ field: "entrypoint_rel_path", message: `${entrypoint} is not in the zip` });
}
