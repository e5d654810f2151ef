import { DecryptionError } from "../../lib/common/encryption.ts";
import { logError } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";
import type { ProxyRow } from "../../lib/database/schema/proxies.ts";
import { Deadline } from "../../platform/network/deadline.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../platform/network/network-error.ts";
import { readEchoedAddress } from "./echoed-address.ts";
import { findConnectTarget, withConnection } from "./proxy-connection.ts";
import { readEndpoint } from "./proxy-endpoint.ts";
import { type ProxyResponse, requestThroughProxy } from "./proxy-request.ts";

const CHECK_TIMEOUT_MS = 10_000;

export interface ProxyHealth {
  status: ProxyRow["status"];
  ipAddress?: string;
  checkedAt: number;
  durationMs: number;
  /** Set if connecting to the proxy is forbidden. */
  refusal?: NetworkRefusedError;
}

interface CheckOptions {
  url?: string;
  timeoutMs?: number;
}

/** Makes a request through a proxy. A failure of the proxy is a result, not an exception. */
export async function checkProxy(env: Env, row: ProxyRow, options: CheckOptions = {}): Promise<ProxyHealth> {
  const checkedAt = Date.now();
  const result = await requestThrough(env, row, options);
  return { ...result, checkedAt, durationMs: Date.now() - checkedAt };
}

async function requestThrough(
  env: Env,
  row: ProxyRow,
  { url, timeoutMs = CHECK_TIMEOUT_MS }: CheckOptions,
): Promise<Pick<ProxyHealth, "status" | "ipAddress" | "refusal">> {
  const target = new URL(url ?? readSettings(env).proxies.checkURL);
  try {
    const response = await requestTarget(env, row, target, timeoutMs);
    if (response === undefined) return { status: "unavailable" };
    if (url !== undefined) return { status: isReached(target, response) ? "available" : "unavailable" };
    const ipAddress = response.status === 200 ? readEchoedAddress(response.body) : undefined;
    return { status: ipAddress === undefined ? "unavailable" : "available", ipAddress };
  } catch (error) {
    if (error instanceof NetworkRefusedError) return { status: "unavailable", refusal: error };
    if (error instanceof DecryptionError) logError("proxy_password_unreadable", error, { proxy: row.id });
    else if (!(error instanceof NetworkFailedError)) throw error;
    return { status: "unavailable" };
  }
}

async function requestTarget(
  env: Env,
  row: ProxyRow,
  target: URL,
  timeoutMs: number,
): Promise<ProxyResponse | undefined> {
  const endpoint = await readEndpoint(env, row);
  if (endpoint === undefined) return undefined;
  const deadline = new Deadline(timeoutMs);
  try {
    const connectTarget = await deadline.limit(findConnectTarget(endpoint, readSettings(env)));
    return await withConnection(connectTarget, deadline, (socket) =>
      requestThroughProxy(socket, endpoint.credentials, target, deadline.signal),
    );
  } finally {
    deadline.clear();
  }
}

/** The proxy itself answers a CONNECT. Any other status comes from the site, except 407 and 5xx. */
function isReached(target: URL, { status }: ProxyResponse): boolean {
  if (target.protocol === "https:") return status >= 200 && status < 300;
  return status !== 407 && status < 500;
}
