import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  acquireBrowser,
  closeBrowser,
  listBrowsers,
  openDevToolsSocket,
  readDevToolsDocument,
} from "../../src/browser/connection/binding.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";

const browsers = useFakeBrowsers();

function refuse(response: () => Response): void {
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

  it("takes a browser that is gone as closed, and as unavailable for anything else", async () => {
    await expect(closeBrowser(env.BROWSER, "gone")).resolves.toBeUndefined();
    refuse(() => new Response("gone", { status: 410 }));
    await expect(closeBrowser(env.BROWSER, "gone")).resolves.toBeUndefined();
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
  ])(
    "tells a refusal with %d and %j as %s, to be tried again after %d s",
    async (status, headers, kind, s) => {
      refuse(() => new Response("no", { status, headers }));
      await expect(acquireBrowser(env.BROWSER, 1000)).rejects.toMatchObject({ kind, retryAfterSeconds: s });
      refuse(() => new Response("no", { status, headers }));
      await expect(closeBrowser(env.BROWSER, "any")).rejects.toMatchObject({ kind });
      refuse(() => new Response("no", { status, headers }));
      await expect(listBrowsers(env.BROWSER)).rejects.toMatchObject({ kind });
    },
  );

  it.each(["not json", "{}", '{"sessionId":5}'])("does not take %j for a browser", async (text) => {
    refuse(() => new Response(text));
    await expect(acquireBrowser(env.BROWSER, 1000)).rejects.toMatchObject({ kind: "failure" });
  });

  it("tells a binding that throws as a failure", async () => {
    refuse(() => {
      throw new Error("network lost");
    });
    await expect(acquireBrowser(env.BROWSER, 1000)).rejects.toMatchObject({
      kind: "failure",
      cause: expect.objectContaining({ message: "network lost" }),
    });
  });
});
