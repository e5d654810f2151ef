import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  acquireBrowser,
  closeBrowser,
  listBrowsers,
  openDevToolsSocket,
  readCloseReason,
  readDevToolsDocument,
} from "../../src/browser/connection/binding.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";

const browsers = useFakeBrowsers();

function respondOnce(response: () => Response): void {
  browsers.refusal = () => {
    browsers.refusal = undefined;
    return response();
  };
}

describe("the browser binding", () => {
  it("launches, lists, opens and closes browsers", async () => {
    const id = await acquireBrowser(env.BROWSER, 600_000);
    expect(browsers.launched).toContain(id);
    expect((await listBrowsers(env.BROWSER)).has(id)).toBe(true);
    expect(JSON.parse(await readDevToolsDocument(env.BROWSER, id, "version"))).toHaveProperty("Browser");
    const socket = await openDevToolsSocket(env.BROWSER, id);
    socket.close(1000);
    await closeBrowser(env.BROWSER, id);
    expect((await listBrowsers(env.BROWSER)).has(id)).toBe(false);
  });

  it("treats a missing browser as closed, and fails on anything else", async () => {
    await expect(closeBrowser(env.BROWSER, "gone")).resolves.toBe(true);
    respondOnce(() => new Response("gone", { status: 410 }));
    await expect(closeBrowser(env.BROWSER, "gone")).resolves.toBe(true);
    await expect(openDevToolsSocket(env.BROWSER, "gone")).rejects.toMatchObject({ kind: "failure" });
    await expect(readDevToolsDocument(env.BROWSER, "gone", "list")).rejects.toMatchObject({
      kind: "failure",
    });
  });

  it.each([
    [429, { "retry-after": "17" }, "limit", 17],
    [429, {}, "limit", 5],
    [429, { "retry-after": "soon" }, "limit", 5],
    [500, {}, "failure", 5],
    [503, { "retry-after": "2" }, "failure", 2],
  ])("reports status %d with %j as %s, to retry after %d s", async (status, headers, kind, s) => {
    respondOnce(() => new Response("no", { status, headers }));
    await expect(acquireBrowser(env.BROWSER, 1000)).rejects.toMatchObject({ kind, retryAfterSeconds: s });
    respondOnce(() => new Response("no", { status, headers }));
    await expect(closeBrowser(env.BROWSER, "any")).rejects.toMatchObject({ kind });
    respondOnce(() => new Response("no", { status, headers }));
    await expect(listBrowsers(env.BROWSER)).rejects.toMatchObject({ kind });
  });

  it("waits at most two seconds for the reason of a close", async () => {
    const silent = { fetch: () => new Promise<Response>(() => {}) };
    const startedAt = Date.now();
    expect(await readCloseReason(silent, "any")).toBeUndefined();
    expect(Date.now() - startedAt).toBeLessThan(3000);
  });

  it.each(["not json", "{}", '{"sessionId":5}'])("rejects the launch response %j", async (text) => {
    respondOnce(() => new Response(text));
    await expect(acquireBrowser(env.BROWSER, 1000)).rejects.toMatchObject({ kind: "failure" });
  });

  it("reports a binding that throws as a failure", async () => {
    respondOnce(() => {
      throw new Error("network lost");
    });
    await expect(acquireBrowser(env.BROWSER, 1000)).rejects.toMatchObject({
      kind: "failure",
      cause: expect.objectContaining({ message: "network lost" }),
    });
  });
});
