import { z } from "@hono/zod-openapi";
import { isAddress } from "network-rules";
import { canonicalHost } from "../../lib/common/canonical-host.ts";

const MAX_HOSTS = 100;
const MAX_HOST_LENGTH = 253;

/** In Punycode; underscores and hyphens occur in names of internal hosts. */
const HOST_NAME = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

const bypassHostSchema = z
  .string()
  .max(MAX_HOST_LENGTH, `must have at most ${MAX_HOST_LENGTH} characters`)
  .transform((text, context) => {
    const isWildcard = text.startsWith("*.");
    const host = canonicalHost(isWildcard ? text.slice(2) : text);
    if (host !== undefined && HOST_NAME.test(host) && !isAddress(host) && !text.includes(":")) {
      return isWildcard ? `*.${host}` : host;
    }
    context.addIssue({
      code: "custom",
      message: "must be a host name, or *. and a host name, without scheme, port, path or IP address",
    });
    return z.NEVER;
  })
  .openapi({ type: "string" });

export const bypassHostsSchema = z
  .array(bypassHostSchema)
  .max(MAX_HOSTS, `must have at most ${MAX_HOSTS} entries`)
  .transform((hosts) => [...new Set(hosts)])
  .openapi({
    type: "array",
    items: { type: "string" },
    description: "Hosts that are reached without the proxy: names, or `*.` and a name for those below it.",
  });
