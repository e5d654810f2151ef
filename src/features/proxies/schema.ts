import { z } from "@hono/zod-openapi";
import { PROXY_TYPES, type ProxyCheckRow, type ProxyRow } from "../../lib/database/schema/proxies.ts";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { displayNameSchema } from "../../lib/http/names.ts";
import { pageQuerySchema } from "../../lib/http/pagination.ts";
import { bypassHostsSchema } from "./bypass-hosts.ts";
import {
  countryConfigSchema,
  customConfigSchema,
  mobileConfigSchema,
  residentialConfigSchema,
} from "./config-schema.ts";

const MAX_URL_LENGTH = 2048;
const LOCATION = "Location of the proxy.";

function proxyType<T extends (typeof PROXY_TYPES)[number]>(type: T) {
  return z.literal(type).describe("Type of the proxy. It decides the fields of `config`.");
}

const shared = {
  name: displayNameSchema
    .optional()
    .openapi({ description: "Display name. It need not be unique.", example: "office" }),
  protocol: z
    .enum(["http", "https"], 'must be "http" or "https"')
    .default("https")
    .describe("Protocol between browsers and the proxy itself."),
  bypass_hosts: bypassHostsSchema.default([]),
};

export const createProxyBodySchema = z
  .discriminatedUnion("type", [
    z.object({
      ...shared,
      type: proxyType("custom"),
      config: customConfigSchema.describe("Address and credentials of the proxy."),
    }),
    z.object({
      ...shared,
      type: proxyType("datacenter"),
      config: countryConfigSchema.openapi({ description: LOCATION }),
    }),
    z.object({
      ...shared,
      type: proxyType("isp"),
      config: countryConfigSchema.openapi({ description: LOCATION }),
    }),
    z.object({
      ...shared,
      type: proxyType("residential"),
      config: residentialConfigSchema.openapi({ description: LOCATION }),
    }),
    z.object({
      ...shared,
      type: proxyType("mobile"),
      config: mobileConfigSchema.openapi({ description: LOCATION }),
    }),
  ])
  .openapi({
    example: {
      type: "custom",
      name: "office",
      protocol: "http",
      config: { host: "proxy.example.com", port: 3128, username: "user", password: "password" },
    },
  });

export type CreateProxyBody = z.infer<typeof createProxyBodySchema>;

export const renameProxyBodySchema = z
  .object({
    name: displayNameSchema.openapi({
      description: "New display name. It need not be unique.",
      example: "office",
    }),
  })
  .openapi("UpdateProxy");

export const checkProxyBodySchema = z
  .object({
    url: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .max(MAX_URL_LENGTH, `must have at most ${MAX_URL_LENGTH} characters`)
      .refine(hasNoCredentials, "must not hold a user name or password")
      .optional()
      .openapi({
        description:
          "Address to request through the proxy. `status` of the response says whether it was reached; the proxy's stored " +
          "status does not change.",
        example: "https://example.com",
      }),
  })
  .openapi("CheckProxy");

export const proxyListQuerySchema = pageQuerySchema.extend({
  name: textOf("Proxies of this name.").optional(),
  query: textOf("Part of a name, host or IP address in either case, or a proxy's id.").optional(),
});

export const proxyParamSchema = z.object({ id: textOf("The proxy's id.") });

export const proxySchema = z
  .object({
    id: textOf("Id of the proxy.", "p0m3q9x7c2v5b8n1k4j6h0gd"),
    type: z.enum(PROXY_TYPES).openapi({ description: "Type of the proxy.", example: "custom" }),
    name: textOf("Its name; absent when it has none.", "office").optional(),
    protocol: z
      .enum(["http", "https"])
      .openapi({ description: "Protocol between browsers and the proxy itself.", example: "http" }),
    config: z
      .object({
        host: textOf("Host name or IP address. Type `custom` only.").optional(),
        port: countOf("Port, from 1 to 65535. Type `custom` only.").optional(),
        username: textOf("User name for the proxy. Type `custom` only.").optional(),
        has_password: flagOf("Whether a password is stored. Type `custom` only.").optional(),
        country: textOf("ISO 3166 code of the country, or EU.").optional(),
        state: textOf("Code of the US state.").optional(),
        city: textOf("City, in lower case without spaces.").optional(),
        zip: textOf("US ZIP code of five digits.").optional(),
        asn: textOf("Autonomous system, such as AS7922.").optional(),
      })
      .openapi({
        description: "Configuration. Its fields depend on the type. A password is never shown.",
        example: { host: "proxy.example.com", port: 3128, username: "user", has_password: true },
      }),
    bypass_hosts: z.array(z.string()).openapi({
      description: "Hosts that are reached without the proxy.",
      example: ["*.internal.example.com"],
    }),
    status: z
      .enum(["available", "unavailable"])
      .openapi({ description: "Result of the last check.", example: "available" }),
    last_checked: timeOf("When it was last checked; absent before the first check.").optional(),
    ip_address: textOf(
      "Address that its requests come from, as seen by the last check that succeeded.",
      "203.0.113.7",
    ).optional(),
  })
  .openapi("Proxy");

export const proxyCheckSchema = z
  .object({
    id: textOf("Id of the check.", "h5n0v8d3q7s1w6z2c9x4m0tk"),
    checked_at: timeOf("When it began."),
    status: z
      .enum(["available", "unavailable"])
      .openapi({ description: "Its result.", example: "available" }),
    duration_ms: countOf("How long it took, in milliseconds.", 412),
    ip_address: textOf(
      "Address that the request came from; absent when the check failed.",
      "203.0.113.7",
    ).optional(),
  })
  .openapi("ProxyCheck");

export function presentProxyCheck(row: ProxyCheckRow): z.infer<typeof proxyCheckSchema> {
  return {
    id: row.id,
    checked_at: new Date(row.checkedAt).toISOString(),
    status: row.status,
    duration_ms: row.durationMs,
    ...(row.ipAddress !== null && { ip_address: row.ipAddress }),
  };
}

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
