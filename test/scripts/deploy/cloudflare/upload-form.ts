import { z } from "zod";

const bindingSchema = z.looseObject({
  name: z.string(),
  type: z.string(),
  /** The id of a D1 database. */
  id: z.string().optional(),
  bucket_name: z.string().optional(),
  text: z.string().optional(),
});

export type UploadedBinding = z.infer<typeof bindingSchema>;

/** See https://developers.cloudflare.com/workers/configuration/multipart-upload-metadata/. */
const metadataSchema = z.looseObject({
  main_module: z.string(),
  bindings: z.array(bindingSchema),
  keep_bindings: z.array(z.string()).default([]),
  migrations: z.object({ old_tag: z.string().optional(), new_tag: z.string() }).optional(),
  assets: z.looseObject({ jwt: z.string() }).optional(),
});

export interface Upload {
  script: string;
  metadata: z.infer<typeof metadataSchema>;
}

/** Reads the form that uploads a Worker. */
export async function readUpload(body: Buffer, contentType: string | undefined): Promise<Upload> {
  const form = await readForm(body, contentType);
  const metadata = metadataSchema.parse(JSON.parse(await textOf(form.get("metadata"))));
  return { metadata, script: await textOf(form.get(metadata.main_module)) };
}

export function readForm(body: Buffer, contentType = ""): Promise<FormData> {
  return new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
}

async function textOf(part: FormDataEntryValue | null): Promise<string> {
  if (part === null) throw new Error("a part is missing");
  return typeof part === "string" ? part : await part.text();
}
