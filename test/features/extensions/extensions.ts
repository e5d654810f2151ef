import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { z } from "zod";
import { extensionSchema } from "../../../src/api/extensions/schema.ts";
import worker from "../../../src/index.ts";
import { type Client, ORIGIN } from "../../api.ts";
import { buildZip } from "../../lib/archives/zip-builder.ts";

export function manifest(fields: object = {}): object {
  return { manifest_version: 3, name: "Test", version: "1.0", ...fields };
}

export function extensionZip(
  manifestFields: object = {},
  files: Record<string, string> = {},
): Uint8Array<ArrayBuffer> {
  const entries = { "manifest.json": JSON.stringify(manifest(manifestFields)), ...files };
  return buildZip(Object.entries(entries).map(([name, content]) => ({ name, content })));
}

export async function upload(
  client: Client,
  zip: Uint8Array<ArrayBuffer> | undefined,
  name?: string,
): Promise<Response> {
  const form = new FormData();
  if (zip !== undefined) form.set("file", new File([zip], "extension.zip"));
  if (name !== undefined) form.set("name", name);
  const context = createExecutionContext();
  const headers = { authorization: `Bearer ${client.token}` };
  const request = new Request(`${ORIGIN}/extensions`, { method: "POST", headers, body: form });
  const response = await worker.fetch(request, env, context);
  await waitOnExecutionContext(context);
  return response;
}

export async function uploadExtension(
  client: Client,
  zip = extensionZip(),
  name?: string,
): Promise<z.infer<typeof extensionSchema>> {
  const response = await upload(client, zip, name);
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return extensionSchema.parse(body);
}
