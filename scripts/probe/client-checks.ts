import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { callService, createOrganization, type Operator } from "../deploy/service.ts";
import { errorText } from "../local/set-up-error.ts";
import { type Finding, untried } from "./api.ts";
import { DevTools } from "./devtools.ts";
import type { Target } from "./target.ts";

const MEBIBYTE = 1024 * 1024;
const MESSAGE_MEBIBYTES = [1, 4, 16, 31];

const CLOSE_TIMEOUT_MS = 120_000;
const RECONNECT_TIMEOUT_MS = 120_000;
const RECONNECT_INTERVAL_MS = 200;
const LOG_TIMEOUT_MS = 15_000;
const LOG_POLL_MS = 250;

/** It answers each request, with an error and a body. */
const RECEIVER = "https://example.com";
/** Longer than events wait for an export, and sockets for their end after it. */
const EXPORT_MS = 8000;

const webhookSchema = z.object({ id: z.string() });
const deliverySchema = z.object({ attempts: z.array(z.object({ status: z.int().optional() })) });
const exportSchema = z.object({ status: z.int().optional() });
const sessionSchema = z.object({ session_id: z.string(), cdp_ws_url: z.string() });
const evaluatedSchema = z.object({ result: z.object({ value: z.unknown() }) });
const targetsSchema = z.object({ targetInfos: z.array(z.object({ targetId: z.string() })) });

export type ClientSession = Awaited<ReturnType<typeof openClientSession>>;

/** Opens a session in its own organization, for the checks that only a client can try. */
export async function openClientSession(operator: Operator) {
  const body = { name: "npm run probe", max_concurrent_sessions: 2 };
  const { user, remove } = await createOrganization(operator, body);
  try {
    const { value } = await callService(user, "POST", "/browsers", { timeout_seconds: 600 });
    const { session_id: id, cdp_ws_url: url } = sessionSchema.parse(value);
    return { id, url, user, startedAt: Date.now(), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

export async function tryMessages({ url }: ClientSession): Promise<Finding> {
  using client = await DevTools.connect(url);
  const details: Record<string, number> = {};
  const { targetId } = await client.send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await client.send("Target.attachToTarget", { targetId, flatten: true });
  for (const size of MESSAGE_MEBIBYTES) {
    const length = size * MEBIBYTE - 1024;
    const startedAt = performance.now();
    const evaluate = async (expression: string) => {
      const params = { expression, returnByValue: true };
      return evaluatedSchema.parse(await client.send("Runtime.evaluate", params, String(sessionId))).result
        .value;
    };
    try {
      const up = await evaluate(`"${"x".repeat(length)}".length`);
      const down = await evaluate(`"x".repeat(${length})`);
      if (up !== length || String(down).length !== length) throw new Error("the message was changed");
    } catch (error) {
      return { outcome: "differs", seen: `${size} MiB: ${errorText(error)}`, details };
    }
    details[`${size}_mib_ms`] = Math.round(performance.now() - startedAt);
  }
  return { outcome: "holds", seen: `31 MiB both ways in ${details["31_mib_ms"]} ms`, details };
}

/** Sends session events to a server that answers everything, and checks if the client stays connected. */
export async function tryDeliveries({ url, id, user }: ClientSession): Promise<Finding> {
  const call = async (method: string, path: string, body?: object) =>
    (await callService(user, method, path, body)).value;
  const webhook = webhookSchema.parse(await call("POST", "/org/webhooks", { url: RECEIVER }));
  await call("POST", "/org/otlp_destinations", { name: "probe", endpoint: RECEIVER });
  using client = await DevTools.connect(url);
  let closeCode: number | undefined;
  void client.closed.then((code) => {
    closeCode = code;
  });
  await call("PATCH", `/browsers/${id}`, {
    telemetry: { enabled: true, export: { otlp: { destination: "probe" } } },
  });
  const { attempts } = deliverySchema.parse(await call("POST", `/org/webhooks/${webhook.id}/test`));
  const exported = exportSchema.parse(await call("POST", "/org/otlp_destinations/probe/test"));
  await setTimeout(EXPORT_MS);
  if (closeCode !== undefined) return { outcome: "differs", seen: `the client was closed with ${closeCode}` };
  await client.send("Browser.getVersion");
  const statuses = [attempts.at(-1)?.status, exported.status];
  if (statuses.includes(undefined)) return untried(`${RECEIVER} cannot be reached`);
  return {
    outcome: "holds",
    seen: `the client stayed connected; the server answered ${statuses.join(" and ")}`,
  };
}

export async function tryReconnect({ url }: ClientSession, { redeploy }: Target): Promise<Finding> {
  if (redeploy === undefined) return untried("needs --redeploy");
  using client = await DevTools.connect(url);
  const { targetId } = await client.send("Target.createTarget", { url: "about:blank" });
  const closing = Promise.race([client.closed, setTimeout(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  await redeploy();
  const closeCode = await closing;
  const startedAt = performance.now();
  while (performance.now() - startedAt < RECONNECT_TIMEOUT_MS) {
    try {
      using again = await DevTools.connect(url);
      const { targetInfos } = targetsSchema.parse(await again.send("Target.getTargets"));
      const reconnectMs = Math.round(performance.now() - startedAt);
      return judgeReconnect({
        closeCode,
        reconnectMs,
        hasTab: targetInfos.some((tab) => tab.targetId === targetId),
      });
    } catch {
      await setTimeout(RECONNECT_INTERVAL_MS);
    }
  }
  return judgeReconnect({ closeCode, reconnectMs: undefined, hasTab: false });
}

/** @param seen `closeCode` undefined: the connection survived. */
export function judgeReconnect(seen: {
  closeCode: number | undefined;
  reconnectMs: number | undefined;
  hasTab: boolean;
}): Finding {
  const { closeCode, reconnectMs, hasTab } = seen;
  const close = closeCode === undefined ? "not closed" : `closed with ${closeCode}`;
  if (reconnectMs === undefined) return { outcome: "differs", seen: `${close}, no connection afterwards` };
  if (!hasTab) return { outcome: "differs", seen: `${close}, its tab is gone afterwards` };
  return {
    outcome: "holds",
    seen: `${close}, connected again after ${reconnectMs} ms with its tab`,
    details: { reconnect_ms: reconnectMs },
  };
}

/** Sends a planted token where clients put tokens, and waits until the requests are logged. */
export async function tryLog({ url, user: { token: key } }: ClientSession, target: Target): Promise<Finding> {
  if (target.log === undefined) return untried("needs --tail");
  const planted = `berth-probe-${crypto.randomUUID()}`;
  const token = /[?&/](?:token=)?(eyJ[^/?&]+)/.exec(url)?.[1] ?? url;
  const route = `/connect-${planted.slice(-6)}`;
  const before = target.log.length;
  const requests = [
    `/connect?token=${planted}`,
    `/cdp/${planted}`,
    `${route}?token=${planted}`,
    `/browsers/${planted}`,
  ];
  for (const path of requests) {
    await fetch(target.baseURL + path, { headers: { authorization: `Bearer ${key}` } }).catch(
      () => undefined,
    );
  }
  const deadline = performance.now() + LOG_TIMEOUT_MS;
  const wasLogged = () => (target.log ?? []).slice(before).some((line) => line.includes("/browsers/:id"));
  while (!wasLogged() && performance.now() < deadline) await setTimeout(LOG_POLL_MS);
  await setTimeout(LOG_POLL_MS);
  return judgeLog(target.log, { planted, key, token, adminToken: target.adminToken }, wasLogged());
}

export function judgeLog(
  log: readonly string[],
  secrets: Record<string, string>,
  wasLogged: boolean,
): Finding {
  const found = Object.entries(secrets).filter(([, secret]) => log.some((line) => line.includes(secret)));
  if (found.length > 0)
    return { outcome: "differs", seen: `the log contains: ${found.map(([name]) => name).join(", ")}` };
  if (!wasLogged) return untried("the log shows none of the requests");
  return { outcome: "holds", seen: `${log.length} lines without ${Object.keys(secrets).length} tokens` };
}
