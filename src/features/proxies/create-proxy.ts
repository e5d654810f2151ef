import { isNull } from "drizzle-orm";
import { encryptText } from "../../lib/common/encryption.ts";
import { badRequest, type Problem } from "../../lib/common/errors.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { listOptions, type UpstreamOption } from "../../lib/common/proxy-upstream.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import { type ProxyConfig, type ProxyRow, proxies } from "../../lib/database/schema/proxies.ts";
import { insertWithinQuota } from "../organizations/index.ts";
import { checkProxy } from "./check-proxy.ts";
import { passwordOwner } from "./proxy-endpoint.ts";
import type { CreateProxyBody } from "./schema.ts";
import { insertCheck } from "./store.ts";

const FIRST_CHECK_TIMEOUT_MS = 5000;

const COUNTED = { kind: "proxies", table: proxies, isCounted: isNull(proxies.deletedAt) } as const;

const DEFAULT_COUNTRY = "US";

/**
 * Creates a proxy, even if its first check fails.
 *
 * @throws ServiceError 400 for a private host or an option that the upstream does not support, 429 at the
 * quota.
 */
export async function createProxy(
  env: Env,
  { organizationId, projectId }: ProjectScope,
  body: CreateProxyBody,
): Promise<ProxyRow> {
  const id = newIdentifier();
  const problems = findUpstreamProblems(env, body);
  if (problems.length > 0) throw badRequest(...problems);
  const row: ProxyRow = {
    id,
    organizationId,
    projectId,
    name: body.name ?? null,
    type: body.type,
    protocol: body.protocol,
    config: toPublicConfig(body),
    encryptedPassword: await encryptPassword(env, id, body),
    bypassHosts: body.bypass_hosts,
    status: "unavailable",
    lastCheckedAt: null,
    ipAddress: null,
    createdAt: Date.now(),
    deletedAt: null,
  };
  const health = await checkProxy(env, row, { timeoutMs: FIRST_CHECK_TIMEOUT_MS });
  if (health.refusal !== undefined)
    throw badRequest({ field: "config.host", message: health.refusal.message });
  row.status = health.status;
  row.lastCheckedAt = health.checkedAt;
  row.ipAddress = health.ipAddress ?? null;
  const database = openDatabase(env.DB);
  await insertWithinQuota(database, COUNTED, row, readSettings(env).quotas, {
    extraStatements: [insertCheck(database, id, health)],
  });
  return row;
}

function toPublicConfig(body: CreateProxyBody): ProxyConfig {
  if (body.type !== "custom") return body.config;
  const { host, port, username, password } = body.config;
  return { host, port, ...(username !== undefined && { username }), has_password: password !== undefined };
}

async function encryptPassword(env: Env, id: string, body: CreateProxyBody): Promise<string | null> {
  const password = body.type === "custom" ? body.config.password : undefined;
  return password === undefined ? null : encryptText(env, passwordOwner(id), password);
}

/** An upstream that does not get all options would use a location other than the requested one. */
function findUpstreamProblems(env: Env, body: CreateProxyBody): Problem[] {
  if (body.type === "custom") return [];
  const upstream = readSettings(env).proxies.upstreams[body.type];
  if (upstream === undefined) return [];
  const given: Partial<Record<UpstreamOption, string>> = body.config;
  const options = listOptions(upstream.username);
  const unknown = Object.entries(given)
    .filter(([field, value]) => value !== undefined && !options.some(({ option }) => option === field))
    .filter(([field, value]) => !(field === "country" && value === DEFAULT_COUNTRY))
    .map(([field]) => ({
      field: `config.${field}`,
      message: `cannot be chosen for proxies of type ${body.type} here`,
    }));
  const missing = options
    .filter(({ option, isRequired }) => isRequired && option !== "session" && given[option] === undefined)
    .map(({ option }) => ({
      field: `config.${option}`,
      message: `is required for proxies of type ${body.type} here`,
    }));
  return [...unknown, ...missing];
}
