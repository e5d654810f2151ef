import type { MiddlewareHandler } from "hono";
import { presentUnknownFields, type UnknownFieldsVariables } from "./unknown-fields.ts";

/** Keeps JSON responses out of caches and content sniffing, and names unknown fields of the request. */
export const jsonHeaders: MiddlewareHandler<{ Variables: UnknownFieldsVariables }> = async (c, next) => {
  await next();
  const { unknownFields } = c.var;
  if (unknownFields !== undefined) c.header("x-unknown-fields", presentUnknownFields(unknownFields));
  if (!c.res.headers.get("content-type")?.startsWith("application/json")) return;
  if (!c.res.headers.has("cache-control")) c.header("cache-control", "no-store");
  c.header("x-content-type-options", "nosniff");
};
