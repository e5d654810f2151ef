import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  acquireBrowser,
  acquireKeptBrowser,
  closeBrowser,
  listBrowsers,
  openDevToolsSocket,
  readCloseReason,
  readDevToolsDocument,
} from "../../../src/platform/browser/connection/binding.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

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

describe("the list of browsers", () => {
  const adopted = Array.from({ length: 450 }, (_, index) => `browser-${index}`);
  let reads = 0;

  /** Changes the list before its second page is read. */
  function fill(change: () => void = () => undefined): void {
    browsers.living.clear();
    for (const id of adopted) browsers.adopt(id);
    reads = 0;
    browsers.refusal = () => {
      reads += 1;
      if (reads === 2) change();
      return undefined;
    };
  }
  const list = async () => [...(await listBrowsers(env.BROWSER)).keys()];

  afterEach(() => browsers.living.clear());

  it("is read to its end, page by page", async () => {
    fill();
    expect((await list()).sort()).toEqual(adopted.toSorted());
    expect(reads).toBe(4);
  });

  it.each([1, 19, 20, 150, 300, 449])("names all that live while %d others end", async (ended) => {
    fill(() => {
      for (const id of adopted.slice(0, ended)) browsers.living.delete(id);
    });
    expect(await list()).toEqual(expect.arrayContaining(adopted.slice(ended)));
  });

  it("is read from a platform with smaller pages", async () => {
    browsers.refusal = ({ search }) => {
      const offset = Number(new URLSearchParams(search).get("offset"));
      const page = adopted.slice(offset, offset + 30);
      return Response.json({ sessions: page.map((sessionId) => ({ sessionId })) });
    };
    expect(await list()).toEqual(adopted);
  });

  it("names all while others are launched", async () => {
    fill(() => {
      const older = [...browsers.living];
      browsers.living.clear();
      for (const id of ["newer-1", "newer-2", ...older]) browsers.adopt(id);
    });
    expect(await list()).toEqual(expect.arrayContaining(adopted));
  });

  it("is refused when it does not end", async () => {
    let next = 0;
    const page = () => Array.from({ length: 200 }, () => ({ sessionId: `endless-${next++}` }));
    browsers.refusal = () => Response.json({ sessions: page() });
    await expect(list()).rejects.toMatchObject({ kind: "failure" });
    expect(next).toBeLessThanOrEqual(10_000);
  });
});

describe("a platform that keeps browsers for at most 10 minutes", () => {
  const asked: string[] = [];
  beforeEach(() => {
    asked.length = 0;
    browsers.maxKeepAliveMs = 600_000;
  });
  const binding = {
    fetch(input: RequestInfo | URL, init?: RequestInit) {
      asked.push(new URL(new Request(input, init).url).searchParams.get("keep_alive") ?? "");
      return env.BROWSER.fetch(input, init);
    },
  };

  it("is asked for 20 minutes once, and then for 10", async () => {
    await acquireBrowser(binding, 1_200_000);
    await acquireBrowser(binding, 1_200_000);
    expect(asked).toEqual(["1200000", "600000", "600000"]);
  });

  it("is seen to refuse more", async () => {
    const refused = acquireKeptBrowser(binding, 1_200_000);
    await expect(refused).rejects.toMatchObject({
      name: "KeepAliveRefusedError",
      message: expect.stringContaining("400"),
    });
  });

  it("is not asked for less because of another failure", async () => {
    respondOnce(() => new Response("no", { status: 500 }));
    const failing = { fetch: binding.fetch };
    await expect(acquireBrowser(failing, 1_200_000)).rejects.toMatchObject({ kind: "failure" });
    browsers.maxKeepAliveMs = 1_200_000;
    await acquireBrowser(failing, 1_200_000);
    expect(asked).toEqual(["1200000", "1200000"]);
  });
});
