import { describe, expect, it } from "vitest";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { LogStream } from "../../log-stream.ts";
import { isInUse } from "../../objects.ts";
import { acquire, createFullPool, endPoolsAfterAll, release } from "../browser-pools/pools.ts";

const browsers = useFakeBrowsers();
endPoolsAfterAll();

const BROWSER = { source: "supervisor" };

describe("a stream of a session's log", () => {
  it("explains that other processes than chromium have none", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession();
    const log = await LogStream.open(client, id, { ...BROWSER, supervisor_process: "xorg" });
    expect(await log.rest()).toEqual(["Only the process chromium has a log"]);
  });

  it("is refused to other organizations and after the end", async () => {
    const client = await newClient();
    const other = await newClient();
    const { session_id: id } = await client.createSession();
    for (const process of ["chromium", "xorg"]) {
      const path = `/browsers/${id}/logs/stream?source=supervisor&supervisor_process=${process}&follow=false`;
      expect((await other.get(path)).status).toBe(404);
      expect((await client.get(path)).status).toBe(200);
    }
    await client.delete(`/browsers/${id}`);
    expect((await client.get(`/browsers/${id}/logs/stream?source=supervisor`)).status).toBe(404);
  });

  it("keeps the session in use, and its pages observed, until the client disconnects", async () => {
    const client = await newClient();
    const { session_id: id } = await client.createSession({ telemetry: { enabled: false } });
    const lastCommand = () =>
      browsers.commands
        .map(({ method }) => method)
        .findLast((method) => /^Runtime\.(en|dis)able$/.test(method));
    const before = browsers.commands.length;
    expect(await isInUse(id)).toBe(false);
    const log = await LogStream.open(client, id, BROWSER);
    expect(await isInUse(id)).toBe(true);
    expect(browsers.commands.slice(before).map(({ method }) => method)).toContain("Runtime.enable");
    await log.close();
    await expect.poll(() => isInUse(id)).toBe(false);
    await expect.poll(lastCommand).toBe("Runtime.disable");
  });

  it("ends with the lease of a pooled session", async () => {
    const client = await newClient();
    const pool = await createFullPool(client, { size: 1 });
    const { session_id: id } = await acquire(client, pool.id);
    const file = { source: "path", path: "/tmp/log" };
    const logs = [await LogStream.open(client, id, BROWSER), await LogStream.open(client, id, file)];
    await release(client, pool.id, id);
    expect(await Promise.all(logs.map((log) => log.rest()))).toEqual([[], []]);
    expect((await client.get(`/browsers/${id}/logs/stream?source=supervisor`)).status).toBe(404);
    expect((await acquire(client, pool.id)).session_id).toBe(id);
    const next = await LogStream.open(client, id, BROWSER);
    await client.delete(`/browsers/${id}`);
    expect(await next.rest()).toEqual([]);
  });
});
