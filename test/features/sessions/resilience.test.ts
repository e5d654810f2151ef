import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { newClient, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { objectOf, readRecord, readStorage, restart } from "../../objects.ts";
import { readSessionRow } from "../../records.ts";

const browsers = useFakeBrowsers();

describe("a healthy session", () => {
  it("survives a moment in which the platform refuses ten of its clients", async () => {
    const client = await newClient();
    const { session_id, cdp_ws_url } = await client.createSession();
    await restart(session_id);
    browsers.refusal = ({ path }) =>
      path.startsWith("/v1/devtools/browser/") ? new Response("busy", { status: 503 }) : undefined;
    const responses = await Promise.all(Array.from({ length: 10 }, () => upgrade(cdp_ws_url)));
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 503));
    // The next check of the browser is due soon.
    await expect
      .poll(async () => ((await readStorage(session_id)).alarm ?? 0) - Date.now())
      .toBeLessThan(3000);
    browsers.refusal = undefined;
    expect((await upgrade(cdp_ws_url)).status).toBe(101);
    expect((await readRecord(session_id))?.phase).toBe("active");
  });
});

describe("a session that ended while the index was unavailable", () => {
  it("is not returned for its persistence id", async () => {
    const client = await newClient();
    const first = await client.createSession({ persistence: { id: "p" } });
    await env.DB.exec(
      "CREATE TRIGGER refuse BEFORE UPDATE ON browser_sessions BEGIN SELECT RAISE(ABORT, 'down'); END",
    );
    expect((await client.delete(`/browsers/${first.session_id}`)).status).toBe(204);
    expect(await readSessionRow(first.session_id)).toMatchObject({ state: "active" });
    await env.DB.exec("DROP TRIGGER refuse");
    const response = await client.post("/browsers", { persistence: { id: "p" } });
    expect(response.status).toBe(503);
    expect(await readSessionRow(first.session_id)).toMatchObject({ state: "ended" });
    const second = await client.createSession({ persistence: { id: "p" } });
    expect(second.session_id).not.toBe(first.session_id);
  });
});

describe("a failed create", () => {
  it("frees its name even if its browser cannot be closed", async () => {
    const client = await newClient();
    browsers.refusal = ({ method, path }) =>
      method !== "POST" && path.startsWith("/v1/devtools/browser/")
        ? new Response("no", { status: 500 })
        : undefined;
    expect((await client.post("/browsers", { name: "worker" })).status).toBe(503);
    browsers.refusal = undefined;
    expect((await client.createSession({ name: "worker" })).name).toBe("worker");
  });

  it("frees its name when its object is reset during the launch", async () => {
    const client = await newClient();
    const gate = Promise.withResolvers<void>();
    const launched = browsers.launched.length;
    browsers.launchGate = gate.promise;
    const creating = client.post("/browsers", { name: "worker" });
    const rows = () =>
      env.DB.prepare("SELECT id FROM browser_sessions WHERE organization_id = ?").bind(client.organizationId);
    await expect.poll(async () => (await rows().all()).results.length).toBe(1);
    const id = (await rows().first<string>("id")) ?? "";
    await expect.poll(async () => (await readRecord(id))?.phase).toBe("starting");
    await restart(id);
    expect((await creating).status).toBeGreaterThanOrEqual(500);
    gate.resolve();
    browsers.launchGate = Promise.resolve();
    await expect.poll(async () => (await objectOf(id).whenUsable()).ok).toBe(false);
    expect((await client.createSession({ name: "worker" })).name).toBe("worker");
    expect(browsers.launched.length).toBeGreaterThan(launched);
  });
});
