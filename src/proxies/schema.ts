import { z } from "@hono/zod-openapi";
import { PROXY_TYPES, type ProxyRow } from "../database/schema/proxies.ts";
import { displayNameSchema } from "../http/names.ts";
import { pageQuerySchema } from "../http/pagination.ts";
import { bypassHostsSchema } from "./bypass-hosts.ts";
import {
  customConfigSchema,
  fixedConfigSchema,
  mobileConfigSchema,
  residentialConfigSchema,
} from "./config-schema.ts";

const LONGEST_URL = 2048;

const shared = {
  name: displayNameSchema.optional().openapi({ description: "For people to read; it need not be unique." }),
  protocol: z
    .enum(["http", "https"], 'must be "http" or "https"')
    .default("https")
    .openapi({ description: "How browsers speak with the proxy itself." }),
  bypass_hosts: bypassHostsSchema.default([]),
};

export const createProxyBodySchema = z
  .discriminatedUnion(
    "type",
    [
      z.object({ ...shared, type: z.literal("custom"), config: customConfigSchema }),
      z.object({ ...shared, type: z.literal("datacenter"), config: fixedConfigSchema }),
      z.object({ ...shared, type: z.literal("isp"), config: fixedConfigSchema }),
      z.object({ ...shared, type: z.literal("residential"), config: residentialConfigSchema }),
      z.object({ ...shared, type: z.literal("mobile"), config: mobileConfigSchema }),
    ],
    `must be one of ${PROXY_TYPES.join(", ")}`,
  )
  .openapi("CreateProxy", {
    example: {
      type: "custom",
      name: "office",
      protocol: "http",
      config: { host: "proxy.example.com", port: 3128, username: "user", password: "password" },
    },
  });

export type CreateProxyBody = z.infer<typeof createProxyBodySchema>;

export const renameProxyBodySchema = z.object({ name: displayNameSchema }).openapi("UpdateProxy");

export const checkProxyBodySchema = z
  .object({
    url: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .max(LONGEST_URL, `must have at most ${LONGEST_URL} characters`)
      .refine(hasNoCredentials, "must not hold a user name or password")
      .optional()
      .openapi({
        description:
          "Whether the proxy reaches this address. The answer tells, and the proxy's own status stays as it is.",
      }),
  })
  .openapi("CheckProxy");

export const proxyListQuerySchema = pageQuerySchema.extend({
  name: z.string().optional().openapi({ description: "Those of this name." }),
  query: z
    .string()
    .optional()
    .openapi({ description: "Part of a name, host or IP address in either case, or a proxy's id." }),
});

export const proxyParamSchema = z.object({ id: z.string().openapi({ description: "The proxy's id." }) });

export const proxySchema = z
  .object({
    id: z.string().openapi({ example: "x2pqk5u9n0wq7c4s1d8e6r3t" }),
    type: z.enum(PROXY_TYPES),
    name: z.string().optional(),
    protocol: z.enum(["http", "https"]),
    config: z
      .object({
        host: z.string().optional(),
        port: z.int().optional(),
        username: z.string().optional(),
        has_password: z.boolean().optional(),
        country: z.string().optional(),
        state: z.string().optional(),
        city: z.string().optional(),
        zip: z.string().optional(),
        asn: z.string().optional(),
      })
      .openapi({ description: "Which fields there are depends on the type. A password is never shown." }),
    bypass_hosts: z.array(z.string()),
    status: z.enum(["available", "unavailable"]).openapi({ description: "What the last check found." }),
    last_checked: z.iso.datetime().optional(),
    ip_address: z.string().optional().openapi({
      description: "Where its requests come from, as the last check that succeeded saw it.",
    }),
  })
  .openapi("Proxy");

/** A proxy as callers see it. */
export function presentProxy(row: ProxyRow): z.infer<typeof proxySchema> {
  return {
    id: row.id,
    type: row.type,
    ...(row.name !== null && { name: row.name }),
    protocol: row.protocol,
    config: row.config,
    bypass_hosts: row.bypassHosts,
    status: row.status,
    ...(row.lastCheckedAt !== null && { last_checked: new Date(row.lastCheckedAt).toISOString() }),
    ...(row.ipAddress !== null && { ip_address: row.ipAddress }),
  };
}

function hasNoCredentials(address: string): boolean {
  if (!URL.canParse(address)) return true;
  const { username, password } = new URL(address);
  return username === "" && password === "";
}
