import { z } from "@hono/zod-openapi";
import {
  auditLogEntrySchema,
  exportHeadersSchema,
  exportQuerySchema,
  listHeadersSchema,
  listQuerySchema,
  readPage,
  verificationSchema,
  verifyDay,
  verifyQuerySchema,
} from "../../features/audit/index.ts";
import { type CallerEnv, requireAPIKey } from "../../features/organizations/index.ts";
import { gzip } from "../../lib/common/gzip.ts";
import { sha256 } from "../../lib/common/hash.ts";
import { API_KEY_SECURITY, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";

const route = routesOf("Audit log", API_KEY_SECURITY);

export const auditLogRoutes = newRouter<CallerEnv>();

auditLogRoutes.openapi(
  route("get", "/audit-logs", {
    operationId: "searchAuditLog",
    summary: "Search the audit log",
    description:
      "At most 30 days, newest first, in the order of recording. A call appears about a second after its response. A page is " +
      "short, or empty, when few of many entries match.",
    request: { query: listQuerySchema },
    responses: {
      200: {
        ...jsonResponse(z.array(auditLogEntrySchema), "A page of entries."),
        headers: listHeadersSchema,
      },
    },
  }),
  async (c) => {
    const { limit, page_token: before, ...filter } = c.req.valid("query");
    const { organizationId } = requireAPIKey(c.var.caller);
    const { items, next } = await readPage(c.env, organizationId, { filter, limit, before });
    return c.json(
      items.map(({ entry }) => entry),
      200,
      nextHeaders("X-Next-Page-Token", next),
    );
  },
);

auditLogRoutes.openapi(
  route("get", "/audit-logs/export/chunk", {
    operationId: "exportChunkOfAuditLog",
    summary: "Export a chunk of the audit log",
    description:
      "JSON lines, newest first. Follow `X-Next-Cursor` while `X-Has-More` is true, even after an empty chunk; concatenated, the " +
      "chunks are one file.",
    request: { query: exportQuerySchema },
    responses: {
      200: {
        description: "The entries of the chunk.",
        headers: exportHeadersSchema,
        content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
      },
    },
  }),
  async (c) => {
    const { limit, cursor: before, format, ...filter } = c.req.valid("query");
    const { organizationId } = requireAPIKey(c.var.caller);
    const { items, next } = await readPage(c.env, organizationId, { filter, limit, before });
    const lines = items.map(({ line }) => `${line}\n`).join("");
    const body = format === "jsonl" ? lines : await gzip(lines);
    return c.body(body, 200, {
      ...nextHeaders("X-Next-Cursor", next),
      "X-Row-Count": String(items.length),
      "X-Content-Sha256": await sha256(body),
      "content-type": "application/octet-stream",
      "cache-control": "no-store",
    });
  },
);

auditLogRoutes.openapi(
  route("get", "/audit-logs/verify", {
    operationId: "verifyDayOfAuditLog",
    summary: "Verify a day of the audit log",
    description: "Follows the hash chain through the entries that were recorded on the day.",
    request: { query: verifyQuerySchema },
    responses: { 200: jsonResponse(verificationSchema, "How far the chain is valid.") },
  }),
  async (c) => {
    const { organizationId } = requireAPIKey(c.var.caller);
    return c.json(await verifyDay(c.env, organizationId, c.req.valid("query")), 200);
  },
);

function nextHeaders(name: string, next: number | undefined): Record<string, string> {
  return next === undefined ? { "X-Has-More": "false" } : { "X-Has-More": "true", [name]: String(next) };
}
