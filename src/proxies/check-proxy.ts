import { DecryptionError } from "../common/encryption.ts";
import { logError } from "../common/log.ts";
import { readSettings } from "../common/settings.ts";
import type { ProxyRow } from "../database/schema/proxies.ts";
import { Deadline } from "../network/deadline.ts";
import { NetworkFailedError, NetworkRefusedError } from "../network/network-error.ts";
import { readEchoedAddress } from "./echoed-address.ts";
import { findConnectTarget, withConnection } from "./proxy-connection.ts";
import { readEndpoint } from "./proxy-endpoint.ts";
import { type ProxyAnswer, requestThroughProxy } from "./proxy-request.ts";

/** The longest that a check takes, whatever the proxy does. */
const CHECK_TIMEOUT_MS = 10_000;

/** What a check found. */
export interface ProxyHealth {
  status: ProxyRow["status"];
  /** Where the proxy's requests come from. */
  ipAddress?: string;
  checkedAt: number;
  /** Why it may not be connected to, where that is so. */
  refusal?: NetworkRefusedError;
}

interface CheckOptions {
  /** What is to be reached through the proxy, instead of what tells its address. */
  url?: string;
  timeoutMs?: number;
}

/**
 * Makes a request through a proxy. Whatever is wrong with the proxy is a finding, never an exception; a proxy without an
 * upstream is unavailable without a request.
 */
export async function checkProxy(
  env: Env,
  row: ProxyRow,
  { url, timeoutMs = CHECK_TIMEOUT_MS }: CheckOptions = {},
): Promise<ProxyHealth> {
  const checkedAt = Date.now();
  const target = new URL(url ?? readSettings(env).proxies.checkURL);
  try {
    const answer = await ask(env, row, target, timeoutMs);
    if (answer === undefined) return { status: "unavailable", checkedAt };
    if (url !== undefined)
      return { status: isReached(target, answer) ? "available" : "unavailable", checkedAt };
    const ipAddress = answer.status === 200 ? readEchoedAddress(answer.body) : undefined;
    return { status: ipAddress === undefined ? "unavailable" : "available", ipAddress, checkedAt };
  } catch (error) {
    if (error instanceof NetworkRefusedError) return { status: "unavailable", checkedAt, refusal: error };
    if (error instanceof DecryptionError) logError("proxy_password_lost", error, { proxy: row.id });
    else if (!(error instanceof NetworkFailedError)) throw error;
    return { status: "unavailable", checkedAt };
  }
}

async function ask(
  env: Env,
  row: ProxyRow,
  target: URL,
  timeoutMs: number,
): Promise<ProxyAnswer | undefined> {
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

/** Of a tunnel the proxy alone says whether there is one; a site's own answer is one that its status counts for. */
function isReached(target: URL, { status }: ProxyAnswer): boolean {
  if (target.protocol === "https:") return status >= 200 && status < 300;
  return status !== 407 && status < 500;
}
