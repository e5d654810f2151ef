import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Client, newClient } from "../../api.ts";
import { advanceTime, crashObject, EMPTY_STORAGE, isInUse } from "../../objects.ts";
import { MCPConnection } from "./connect.ts";

const listSchema = z.object({ items: z.array(z.object({ session_id: z.string() })) });

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

const ACCEPT = { accept: "application/json, text/event-stream" };
const owner = await newClient();

const listTools = { jsonrpc: "2.0", id: 2, method: "tools/list" };

describe("the endpoint", () => {
  it("requires an API key, also from pages of other origins", async () => {
    const origin = { origin: "https://page.example", ...ACCEPT };
    const anonymous = new Client();
    expect((await anonymous.post("/mcp", INITIALIZE, origin)).status).toBe(401);
    expect((await anonymous.post("/mcp?token=wrong", INITIALIZE, origin)).status).toBe(401);
    const answer = await owner.post("/mcp", INITIALIZE, origin);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("takes the key from the query", async () => {
    const answer = await new Client().post(`/mcp?token=${owner.token}`, INITIALIZE, ACCEPT);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get("mcp-session-id")).toMatch(/^[0-9a-z]{24}$/);
  });

  it("refuses a request to initialize that is too large to keep", async () => {
    const clientInfo = { ...INITIALIZE.params.clientInfo, title: "x".repeat(64 * 1024) };
    const request = { ...INITIALIZE, params: { ...INITIALIZE.params, clientInfo } };
    expect((await owner.post("/mcp", request, ACCEPT)).status).toBe(413);
  });

  it("offers no stream by GET", async () => {
    const answer = await owner.get("/mcp", { headers: { accept: "text/event-stream" } });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "DELETE, POST"]);
  });

  it("hides a session from other keys", async () => {
    const mcp = await MCPConnection.open(owner);
    const headers = { "mcp-session-id": mcp.sessionId, ...ACCEPT };
    const created = await owner.post("/org/api_keys", { name: "second" });
    const second = new Client(z.object({ key: z.string() }).parse(created.json).key);
    for (const other of [await newClient(), second]) {
      expect((await other.post("/mcp", listTools, headers)).status).toBe(404);
      expect((await other.call("DELETE", "/mcp", { headers })).status).toBe(404);
    }
    expect((await owner.post("/mcp", listTools, headers)).status).toBe(200);
    await mcp.end();
    expect((await owner.post("/mcp", listTools, headers)).status).toBe(404);
  });

  it.each([
    ["without a session", {}],
    ["with an unknown one", { "mcp-session-id": "000000000000000000000000" }],
  ])("keeps nothing of a call %s", async (_, session) => {
    const answer = await owner.post("/mcp", listTools, { ...ACCEPT, ...session });
    expect([400, 404]).toContain(answer.status);
  });

  it("lists tools with descriptions and schemas", async () => {
    const mcp = await MCPConnection.open(owner);
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["browser_snapshot", "manage_browsers"]),
    );
    const browsers = tools.find(({ name }) => name === "manage_browsers");
    expect(browsers?.inputSchema).toMatchObject({
      required: ["action"],
      properties: {
        action: { enum: ["create", "list", "get", "delete"] },
        stealth: { type: "boolean", description: "(create)" },
        limit: { type: "integer", description: "(list)" },
        session_id: { type: "string", description: "(get, delete)" },
      },
    });
    expect(tools.filter(({ description = "" }) => description === "")).toEqual([]);
    await mcp.end();
  });
});

describe("an MCP session", () => {
  let mcp: MCPConnection;
  let caller: Client;
  beforeAll(async () => {
    caller = await newClient({ max_concurrent_sessions: 1 });
    mcp = await MCPConnection.open(caller);
  });
  afterAll(() => mcp.end());

  const browsersOf = async (client: Client) => (await client.listSessions()).ids;

  const readObject = () =>
    runInDurableObject(mcp.object, async (_, { storage }) => ({
      keys: [...(await storage.list()).keys()],
      tables: [],
      alarm: await storage.getAlarm(),
    }));

  it("makes a browser at the first use and ends it with DELETE", async () => {
    const first = await MCPConnection.open(caller);
    expect(await browsersOf(caller)).toEqual([]);
    await Promise.all([first.text("browser_snapshot"), first.text("exec_command", { command: "true" })]);
    expect(await browsersOf(caller)).toHaveLength(1);
    await first.text("browser_close");
    expect(await browsersOf(caller)).toEqual([]);
    await first.text("browser_snapshot");
    await first.end();
    expect(await browsersOf(caller)).toEqual([]);
  });

  it("outlives a restart of its object, with its browser and its Dynamic Worker", async () => {
    const load = vi.spyOn(env.LOADER, "get");
    await mcp.text("browser_navigate", { url: "data:text/html,<title>Kept</title>" });
    await crashObject(mcp.object);
    expect(await mcp.text("browser_snapshot")).toContain("- Page Title: Kept");
    expect(await browsersOf(caller)).toHaveLength(1);
    const names = load.mock.calls.map(([name]) => name);
    load.mockRestore();
    expect(names).toEqual([names[0], names[0]]);
    expect(names[0]).toMatch(/^page-driver-/);
  });

  it("replaces a browser that was ended", async () => {
    const [id = ""] = await browsersOf(caller);
    await caller.delete(`/browsers/${id}`);
    // The connection may not have heard of the end yet.
    await expect.poll(() => mcp.text("browser_snapshot")).toContain("- Page URL: about:blank");
    expect(await browsersOf(caller)).not.toEqual([id]);
  });

  it("drives another browser session by its id", async () => {
    await mcp.text("browser_close");
    const created = await mcp.json(z.object({ session_id: z.string() }), "manage_browsers", {
      action: "create",
    });
    await mcp.text("browser_navigate", {
      url: "data:text/html,<title>Other</title>",
      session_id: created.session_id,
    });
    expect(await browsersOf(caller)).toEqual([created.session_id]);
    // The connection keeps the session from timing out only while it is used.
    await runDurableObjectAlarm(mcp.object);
    expect(await isInUse(created.session_id)).toBe(true);
    await runDurableObjectAlarm(mcp.object);
    await expect.poll(() => isInUse(created.session_id)).toBe(false);
    await mcp.text("manage_browsers", { action: "delete", session_id: created.session_id });
  });

  it("refuses what the API refuses, with its message", async () => {
    expect(await mcp.error("manage_browsers", { action: "create", timeout_seconds: 1 })).toContain(
      "timeout_seconds: ",
    );
    expect(await mcp.error("manage_browsers", { action: "get", session_id: "nobody" })).toBe(
      "browser session not found",
    );
    expect(await mcp.error("manage_browsers", { action: "get" })).toBe("session_id is required for get");
    expect(await mcp.error("browser_snapshot", { session_id: "nobody" })).toBe("browser session not found");
    expect(await mcp.error("execute_playwright_code", { code: "throw new Error('no')" })).toContain(
      '"error": "no"',
    );
    expect(await mcp.error("manage_browsers", { action: "create" })).toContain("limit");
  });

  it("runs commands, code and files in its browser session", async () => {
    const path = "/home/kernel/note.txt";
    await mcp.text("manage_browser_files", { action: "write", path, content: "héllo" });
    expect(await mcp.text("manage_browser_files", { action: "read", path })).toBe("héllo");
    const { content } = await mcp.call("manage_browser_files", { action: "download", path });
    expect(content).toMatchObject([{ resource: { uri: `file://${path}`, blob: "aMOpbGxv" } }]);
    const result = z.object({ exit_code: z.number(), stdout: z.string() });
    expect(await mcp.json(result, "exec_command", { command: "cat", args: [path] })).toEqual({
      exit_code: 0,
      stdout: "héllo",
    });
    await mcp.text("manage_browser_files", { action: "move", src_path: path, dest_path: `${path}2` });
    expect(await mcp.text("manage_browser_files", { action: "list", path: "/home/kernel" })).toContain(
      "note.txt2",
    );
    expect(await mcp.text("execute_playwright_code", { code: "return 6 * 7" })).toContain('"result": 42');
  });

  it("hands its browser session over to a person, and records it", async () => {
    const created = z.object({ handoff_id: z.string(), live_view_url: z.url() });
    const { handoff_id } = await mcp.json(created, "manage_handoffs", {
      action: "create",
      instructions: "Sign in",
    });
    const wait = { handoff_id, wait_seconds: 0 };
    expect(await mcp.text("manage_handoffs", { action: "get", ...wait })).toContain('"status": "pending"');
    await mcp.text("manage_handoffs", { action: "withdraw", handoff_id });
    expect(await mcp.text("manage_handoffs", { action: "get", ...wait })).toContain('"status": "withdrawn"');

    const replay = z.object({ replay_id: z.string() });
    const { replay_id } = await mcp.json(replay, "manage_replays", { action: "start", framerate: 5 });
    expect(await mcp.text("manage_replays", { action: "list" })).toContain(replay_id);
    await mcp.text("manage_replays", { action: "stop", replay_id });
  });

  it("manages pools, profiles and what else the API has", async () => {
    const other = await MCPConnection.open(owner);
    const id = z.object({ id: z.string() });
    const pool = await other.json(id, "manage_browser_pools", { action: "create", name: "shop", size: 1 });
    expect(await other.text("manage_browser_pools", { action: "list" })).toContain(pool.id);
    const leased = await other.json(z.object({ session_id: z.string() }), "manage_browser_pools", {
      action: "acquire",
      id_or_name: "shop",
    });
    await other.text("manage_browser_pools", { action: "release", id_or_name: "shop", ...leased });
    await other.text("manage_browser_pools", { action: "delete", id_or_name: "shop", force: true });
    expect(await other.error("manage_browser_pools", { action: "get", id_or_name: "shop" })).toContain(
      "not found",
    );

    expect(await other.text("manage_profiles", { action: "setup", profile_name: "mail" })).toContain(
      "/live/",
    );
    expect(await other.text("manage_profiles", { action: "get", profile_name: "mail" })).toContain("mail");
    await other.text("manage_profiles", { action: "delete", profile_name: "mail" });

    for (const tool of ["manage_profiles", "manage_proxies", "manage_extensions"]) {
      expect(await other.text(tool, { action: "list" })).toContain('"items": []');
    }
    expect(await other.text("manage_apps", { action: "list_apps" })).toContain('"items": []');
    expect(
      await other.error("manage_apps", { action: "invoke", app_name: "none", action_name: "run" }),
    ).toContain("no app named none");
    await other.end();
  });

  it("lists live views as resources, and sessions without their tokens", async () => {
    const list = await mcp.text("manage_browsers", { action: "list" });
    expect(list).not.toContain("jwt=");
    const [session] = listSchema.parse(JSON.parse(list)).items;
    const uri = `browsers://${session?.session_id}/live_view`;
    expect((await mcp.client.listResources()).resources.map((resource) => resource.uri)).toContain(uri);
    const { contents } = await mcp.client.readResource({ uri });
    expect(contents).toMatchObject([{ text: expect.stringContaining("/live/") }]);
  });

  /** The client does not wait until the server has received a cancellation, which ends calls beside it. */
  const expectSnapshotSoon = () =>
    vi.waitFor(async () => expect(await mcp.text("browser_snapshot")).toContain("### Page"), 15_000);

  it("reports progress, and ends a call that is cancelled, which keeps the selected tab", async () => {
    await mcp.text("browser_tabs", { action: "new", url: "data:text/html,<title>Last</title>" });
    await mcp.text("browser_tabs", { action: "select", index: 0 });
    const cancel = new AbortController();
    const messages: unknown[] = [];
    const call = mcp.client.callTool(
      { name: "browser_wait_for", arguments: { time: 60 } },
      {
        signal: cancel.signal,
        onprogress: ({ message }) => messages.push(message),
      },
    );
    await vi.waitFor(
      () => expect(messages[0]).toMatch(/^browser_wait_for has been running for \d+ seconds$/),
      15_000,
    );
    cancel.abort();
    await expect(call).rejects.toThrow();
    // The tools of a browser run one after another, so this one would wait for the call.
    await expectSnapshotSoon();
    // A new connection may find the tabs in another order.
    const tabs = await mcp.text("browser_tabs", { action: "list" });
    expect(tabs).toContain("(current) [] (about:blank)");
    const index = Number(/- (\d): \[Last\]/.exec(tabs)?.[1]);
    await mcp.text("browser_tabs", { action: "close", index });
  });

  it("runs at most 16 calls at once", async () => {
    const cancel = new AbortController();
    const wait = () => mcp.call("browser_wait_for", { time: 60 }, { signal: cancel.signal });
    const calls = Array.from({ length: 17 }, wait);
    const refused = { isError: true, content: [{ text: "16 calls are running already" }] };
    expect(await Promise.race(calls)).toMatchObject(refused);
    cancel.abort();
    await Promise.allSettled(calls);
    await expectSnapshotSoon();
  });

  it("ends when nobody uses it", async () => {
    await mcp.text("browser_snapshot");
    expect(await runDurableObjectAlarm(mcp.object)).toBe(true);
    advanceTime(14 * 60_000);
    await runDurableObjectAlarm(mcp.object);
    expect(await browsersOf(caller)).toHaveLength(1);
    advanceTime(61_000);
    await runDurableObjectAlarm(mcp.object);
    expect(await browsersOf(caller)).toEqual([]);
    expect(await readObject()).toEqual(EMPTY_STORAGE);
    await expect(mcp.text("browser_snapshot")).rejects.toThrow("MCP session not found");
  });

  it("ends after its key was deleted", async () => {
    const created = await caller.post("/org/api_keys", { name: "short" });
    const key = z.object({ id: z.string(), key: z.string() }).parse(created.json);
    const other = await MCPConnection.open(new Client(key.key));
    await other.text("browser_snapshot");
    await caller.delete(`/org/api_keys/${key.id}`);
    await runDurableObjectAlarm(other.object);
    expect(await browsersOf(caller)).toEqual([]);
  });
});
