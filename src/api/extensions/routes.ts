import {
  findExtension,
  listExtensions,
  markExtensionDeleted,
  uploadExtension,
  zipKey,
} from "../../features/extensions/index.ts";
import type { CallerEnv } from "../../features/organizations/index.ts";
import { notFound, requireFound } from "../../lib/common/errors.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { ExtensionRow } from "../../lib/database/schema/extensions.ts";
import { API_KEY_SECURITY, jsonResponse, multipartRequest, routesOf } from "../../lib/http/openapi.ts";
import { pageResponse, toPage } from "../../lib/http/pagination.ts";
import { newRouter } from "../../lib/http/router.ts";
import {
  extensionListQuerySchema,
  extensionParamSchema,
  extensionSchema,
  presentExtension,
} from "./schema.ts";

const route = routesOf("Extensions", API_KEY_SECURITY);

const UPLOAD_FORM = multipartRequest({
  type: "object" as const,
  required: ["file"],
  properties: {
    file: {
      type: "string" as const,
      format: "binary",
      description: "A zip with manifest.json at the top level.",
    },
    name: { type: "string" as const, description: "Unique among the project's extensions." },
  },
});

export const extensionRoutes = newRouter<CallerEnv>();

extensionRoutes.openapi(
  route("post", "/extensions", {
    operationId: "uploadExtension",
    summary: "Upload an extension",
    description:
      "A browser that supports extensions loads it. In other browsers only its content scripts and styles run; `unsupported` " +
      "lists what does not work there.",
    requestBody: UPLOAD_FORM,
    responses: { 200: jsonResponse(extensionSchema, "The extension.") },
    errors: [409],
  }),
  async (c) => {
    const row = await uploadExtension(c.env, c.var.caller, c.req.raw);
    return c.json(presentExtension(row), 200);
  },
);

extensionRoutes.openapi(
  route("get", "/extensions", {
    operationId: "listExtensions",
    summary: "List extensions",
    description: "Newest first.",
    request: { query: extensionListQuerySchema },
    responses: { 200: pageResponse(extensionSchema, "A page of extensions.") },
  }),
  async (c) => {
    const query = c.req.valid("query");
    const rows = await listExtensions(openDatabase(c.env.DB), c.var.caller, query, query);
    const { items, headers } = toPage(rows, query);
    return c.json(items.map(presentExtension), 200, headers);
  },
);

extensionRoutes.openapi(
  route("get", "/extensions/{id_or_name}", {
    operationId: "downloadExtension",
    summary: "Download an extension",
    description: "Returns the zip itself. A deleted extension returns 404.",
    request: { params: extensionParamSchema },
    responses: {
      200: {
        description: "The zip as it was uploaded.",
        content: { "application/zip": { schema: { type: "string", format: "binary" } } },
      },
    },
  }),
  async (c) => {
    const { id, organizationId } = await requireExtension(c.env, c.var.caller, c.req.valid("param"));
    const zip = await c.env.FILES.get(zipKey(organizationId, id));
    if (zip === null) throw notFound("extension");
    return c.body(zip.body, 200, { "content-type": "application/zip", "content-length": String(zip.size) });
  },
);

extensionRoutes.openapi(
  route("get", "/extensions/{id_or_name}/metadata", {
    operationId: "getExtension",
    summary: "Get an extension",
    description: "Its metadata, without the zip. `unsupported` lists features that do not work everywhere.",
    request: { params: extensionParamSchema },
    responses: { 200: jsonResponse(extensionSchema, "The extension.") },
  }),
  async (c) => {
    const row = await requireExtension(c.env, c.var.caller, c.req.valid("param"));
    return c.json(presentExtension(row), 200);
  },
);

extensionRoutes.openapi(
  route("delete", "/extensions/{id_or_name}", {
    operationId: "deleteExtension",
    summary: "Delete an extension",
    description: "Running sessions keep it. New sessions and pools that select it fail.",
    request: { params: extensionParamSchema },
    responses: { 204: { description: "Deleted." } },
  }),
  async (c) => {
    const { id } = await requireExtension(c.env, c.var.caller, c.req.valid("param"));
    if (!(await markExtensionDeleted(openDatabase(c.env.DB), id, Date.now()))) throw notFound("extension");
    return c.body(null, 204);
  },
);

/** @throws ServiceError 404 when the project has no such extension. */
async function requireExtension(
  env: Env,
  scope: ProjectScope,
  { id_or_name }: { id_or_name: string },
): Promise<ExtensionRow> {
  return requireFound(await findExtension(openDatabase(env.DB), scope, id_or_name), "extension");
}
