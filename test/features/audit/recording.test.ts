import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import Kernel from "@onkernel/sdk";
import { describe, expect, it } from "vitest";
import { recorder } from "../../../src/api/record-request.ts";
import type { AuditLogEntry } from "../../../src/features/audit/schema.ts";
import { urlTokens } from "../../../src/features/sessions/requests/url-token.ts";
import { gunzipText } from "../../../src/lib/common/gzip.ts";
import {
  type CallOptions,
  Client,
  fetchFromWorker,
  newClient,
  ORIGIN,
  operator,
  upgrade,
  useNewClient,
} from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { useBlockedRuns } from "../apps/invocations/waiting-runs.ts";
import { append, listEntries, logOf, recentRange } from "./entries.ts";

useFakeBrowsers();
const startRun = useBlockedRuns();

const client = useNewClient();

/** Makes calls while they are recorded. Each response waits for the background work. */
async function record<T>(work: () => Promise<T>): Promise<T> {
  const { flushDelayMs } = recorder;
  env.AUDIT_LOG_RETENTION_SECONDS = "60";
  recorder.flushDelayMs = 0;
  try {
    return await work();
  } finally {
    env.AUDIT_LOG_RETENTION_SECONDS = "0";
    recorder.flushDelayMs = flushDelayMs;
  }
}

function recordCalls(...calls: [method: string, path: string, options?: CallOptions][]) {
  return record(() => Promise.all(calls.map((call) => client.call(...call))));
}

/** The recorded entries in the order of their paths. */
async function listSorted(): Promise<AuditLogEntry[]> {
  return (await listEntries(client)).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

describe("the calls of an organization", () => {
  it("are recorded with their key, route, status, address and user agent", async () => {
    const headers = { "cf-connecting-ip": "203.0.113.7", "user-agent": "test" };
    await recordCalls(
      ["GET", "/browsers/none?x=1", { headers }],
      ["GET", "/nothing"],
      ["GET", "/org/limits", { headers }],
      ["POST", "/profiles", { body: { name: 7 } }],
    );
    const key = { auth_strategy: "api_key", user_id: client.keyId };
    expect(await listSorted()).toMatchObject([
      { path: "/browsers/none", route: "/browsers/:id_or_name", status: 404, ...key },
      { path: "/nothing", route: "unmatched", status: 404, client_ip: "", ...key },
      {
        method: "GET",
        path: "/org/limits",
        status: 200,
        domain: "berth.test",
        client_ip: "203.0.113.7",
        user_agent: "test",
      },
      { method: "POST", path: "/profiles", status: 400 },
    ]);
  });

  it("are recorded in the log of their own organization, and refused ones in none", async () => {
    const other = await newClient();
    await record(() =>
      Promise.all([
        client.get("/org/limits"),
        other.get("/browsers"),
        new Client("berth_unknown").get("/browsers"),
        new Client().get("/health"),
      ]),
    );
    expect((await listEntries(client)).map(({ path }) => path)).toEqual(["/org/limits"]);
    expect((await listEntries(other)).map(({ path }) => path)).toEqual(["/browsers"]);
  });

  it("are recorded when the organization is disabled", async () => {
    const path = `/admin/organizations/${client.organizationId}`;
    await operator.patch(path, { disabled: true });
    await recordCalls(["GET", "/org/limits"]);
    await operator.patch(path, { disabled: false });
    expect(await listEntries(client)).toMatchObject([{ path: "/org/limits", status: 403 }]);
  });

  it("are not recorded when AUDIT_LOG_RETENTION_SECONDS is 0", async () => {
    await client.get("/org/limits");
    expect(await listEntries(client)).toEqual([]);
  });

  it("are recorded for invocations and signed URLs, and never with a token", async () => {
    const session = await client.createSession();
    const run = await startRun(client);
    const token = new URL(session.cdp_ws_url).searchParams.get("jwt") ?? "";
    const webDriverToken = await urlTokens(env, 60_000).sign(session.session_id, "webdriver");
    await record(async () => {
      const { webSocket } = await upgrade(session.cdp_ws_url, { "user-agent": `jwt=${token}` });
      webSocket?.accept();
      webSocket?.close();
      await Promise.all([
        run.client.get("/org/limits"),
        client.get(`/browsers/${session.session_id}.${token}`),
        client.get(`/nothing/${client.token}?token=${client.token}`),
        fetchFromWorker(`${ORIGIN}/session/${session.session_id}.${webDriverToken}`, { method: "DELETE" }),
        fetchFromWorker(`${ORIGIN}/session/${session.session_id}.${token}`, { method: "DELETE" }),
        fetchFromWorker(`${ORIGIN}/connect/json/version?token=${client.token}`, {}),
      ]);
    });
    const entries = await listEntries(client);
    const text = JSON.stringify(entries);
    for (const secret of [
      run.client.token ?? "",
      token,
      webDriverToken,
      client.token ?? "",
      token.split(".")[2] ?? "",
    ]) {
      expect(secret.length).toBeGreaterThan(20);
      expect(text).not.toContain(secret);
    }
    const described = entries.map(({ route, status, auth_strategy, user_id }) =>
      [route, status, auth_strategy, user_id].join(" ").trim(),
    );
    expect(described.toSorted()).toEqual([
      `/browsers/:id_or_name 404 api_key ${client.keyId}`,
      "/cdp/:id 101 signed_url",
      `/connect/json/version 200 api_key ${client.keyId}`,
      `/org/limits 403 invocation_key ${run.id}`,
      expect.stringMatching(/^\/session\/:session_id \d+ signed_url$/),
      `unmatched 404 api_key ${client.keyId}`,
    ]);
  });
});

describe("the audit log", () => {
  it("is closed to the keys of invocations", async () => {
    const run = await startRun(client);
    for (const path of [`?${recentRange()}`, `/export/chunk?${recentRange()}`, "/verify?day=2026-01-02"]) {
      expect((await run.client.get(`/audit-logs${path}`)).status).toBe(403);
    }
  });

  it("is deleted with its organization", async () => {
    await append(client.organizationId, {});
    const countKeys = () =>
      runInDurableObject(logOf(client.organizationId), async (_, { storage }) => (await storage.list()).size);
    expect(await countKeys()).toBeGreaterThan(0);
    await operator.delete(`/admin/organizations/${client.organizationId}`);
    await expect.poll(countKeys).toBe(0);
  });

  it("is listed and downloaded by the unmodified SDK", async () => {
    const { organizationId } = client;
    for (let first = 0; first < 250; first += 50) {
      await append(
        organizationId,
        ...Array.from({ length: 50 }, (_, index) => ({ path: `/${first + index}` })),
      );
    }
    const kernel = new Kernel({
      baseURL: ORIGIN,
      apiKey: client.token,
      fetch: (url, init) => fetchFromWorker(String(url), Object(init)),
    });
    const [start, end] = [-3_600_000, 3_600_000].map((offset) => new Date(Date.now() + offset).toISOString());
    const range = { start: start ?? "", end: end ?? "" };
    const expected = Array.from({ length: 250 }, (_, index) => `/${249 - index}`);

    const listed: string[] = [];
    for await (const { path } of kernel.auditLogs.list({ ...range, exclude_method: ["POST", "PUT"] }))
      listed.push(path);
    expect(listed).toEqual(expected);

    const chunks: Uint8Array<ArrayBuffer>[] = [];
    const write = (chunk: Uint8Array) => void chunks.push(new Uint8Array(chunk));
    const result = await kernel.auditLogs.download(
      { ...range, search: "/" },
      { write },
      { onProgress: () => undefined },
    );
    const file = new Uint8Array(await new Blob(chunks).arrayBuffer());
    expect(result).toEqual({ chunks: 1, rows: 250, bytesWritten: file.length });
    const lines = (await gunzipText(file)).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).path)).toEqual(expected);
  });
});
