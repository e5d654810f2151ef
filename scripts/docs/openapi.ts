import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { z } from "zod";
import { ROOT, TOOL_FOLDER } from "../local/paths.ts";

const REFERENCE_PREFIX = "#/components/schemas/";

const referenceSchema = z.object({ $ref: z.string(), description: z.string().optional() });
const referencedSchema = z.object({
  components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }),
});

const schemaObject = z.object({
  /** Under which it was referenced. */
  name: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  description: z.string().optional(),
  deprecated: z.boolean().optional(),
  enum: z.array(z.unknown()).optional(),
  default: z.unknown().optional(),
  example: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), schemaObject).optional();
  },
  get items() {
    return schemaObject.optional();
  },
  get oneOf() {
    return z.array(schemaObject).optional();
  },
  get anyOf() {
    return z.array(schemaObject).optional();
  },
});

const content = z.record(z.string(), z.object({ schema: schemaObject.optional() }));

const operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  deprecated: z.boolean().optional(),
  tags: z.tuple([z.string()]),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(["path", "query", "header"]),
        required: z.boolean().optional(),
        schema: schemaObject,
      }),
    )
    .default([]),
  requestBody: z.object({ required: z.boolean().optional(), content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: content.optional() })),
});

/** The parts of the OpenAPI document that the reference shows. */
const openAPIDocument = z.object({
  info: z.object({ description: z.string() }),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  components: z.object({ schemas: z.record(z.string(), schemaObject) }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

export type SchemaObject = z.infer<typeof schemaObject>;
export type Operation = z.infer<typeof operation>;
export type OpenAPIDocument = z.infer<typeof openAPIDocument>;

type Request = (path: string, init: object, env: object) => Response | Promise<Response>;

const serviceModule = z.object({
  app: z.object({ request: z.custom<Request>((value) => typeof value === "function") }),
});

/** The Workers runtime's modules, which declare classes when the service is loaded but are not called. */
const RUNTIME_STUB = `
  export class DurableObject {}
  export class RpcTarget {}
  export class WorkerEntrypoint {}
  export const connect = undefined, env = {}, exports = {};
`;

const stubRuntime: Plugin = {
  name: "stub-runtime",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "runtime" }));
    onLoad({ filter: /./, namespace: "runtime" }, () => ({ contents: RUNTIME_STUB }));
  },
};

/** The part of the document that the pages of the reference show, with schemas instead of references. */
export async function readOpenAPIDocument(): Promise<OpenAPIDocument> {
  const text = await readOpenAPIJSON();
  const { schemas } = referencedSchema.parse(JSON.parse(text)).components;
  const resolve = (_: string, value: unknown): unknown => {
    const { $ref, ...own } = referenceSchema.safeParse(value).data ?? {};
    if ($ref === undefined) return value;
    const name = $ref.slice(REFERENCE_PREFIX.length);
    if (schemas[name] === undefined) throw new Error(`There is no schema ${name}`);
    return { ...JSON.parse(JSON.stringify(schemas[name]), resolve), ...own, name };
  };
  return openAPIDocument.parse(JSON.parse(text, resolve));
}

/** Loads the service in Node and asks it for `/openapi.json`. */
export async function readOpenAPIJSON(): Promise<string> {
  const outfile = join(TOOL_FOLDER, `service-in-node.${process.pid}.mjs`);
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "src", "app.ts")],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    conditions: ["workerd", "worker", "browser"],
    plugins: [stubRuntime],
    logLevel: "error",
  });
  await mkdir(TOOL_FOLDER, { recursive: true });
  await writeFile(outfile, outputFiles[0]?.contents ?? "");
  try {
    const { app } = serviceModule.parse(await import(pathToFileURL(outfile).href));
    const response = await app.request("/openapi.json", {}, {});
    return await response.text();
  } finally {
    await rm(outfile);
  }
}
