import { describe, expect, it } from "vitest";
import { ClientFiles, type FileBrowser } from "../../../src/platform/browser/files/client-files.ts";
import type { DownloadBehavior } from "../../../src/platform/browser/files/download-destinations.ts";
import type { CommandOutcome, SendCommand } from "../../../src/platform/browser/relay/client-command.ts";
import { FakeSessionFiles, newDownloads } from "../../fakes/session-files.ts";

const DISK = "/profile/berth-files";

/** A client of a session with one file, `/home/kernel/x.pdf`. */
function newClient() {
  const files = new FakeSessionFiles();
  files.files.set("/home/kernel/x.pdf", new TextEncoder().encode("of the machine"));
  const downloads = newDownloads(files);
  const written: [name: string, content: string][] = [];
  const behaviors: [contextId: string | undefined, behavior: DownloadBehavior | undefined][] = [];
  const applied: string[] = [];
  const commands: string[] = [];
  const closed: string[] = [];
  const failures: unknown[] = [];
  const browser: FileBrowser = {
    disk: {
      directory: async () => DISK,
      isOwnFrame: (id) => id === "own frame",
      write: async (name, body) => {
        written.push([name, await new Response(body).text()]);
        return `${DISK}/${written.length}/${name}`;
      },
    },
    downloads: {
      setBehavior: async (_, contextId, behavior) => {
        behaviors.push([contextId, behavior]);
        downloads.behaviors.set(client, contextId ?? "", behavior);
      },
      eventsContext: async () => "events context",
      apply: async (contextId) => {
        applied.push(contextId);
      },
    },
    fileChoosers: {
      closeAll: () => {
        closed.push("choosers");
      },
    },
  };
  const options = { files, downloads, connect: async () => browser, connected: () => browser };
  const client = new ClientFiles({ ...options, onFailure: (error) => failures.push(error) });
  const responses: Record<string, object> = {
    "Target.getTargetInfo": { targetInfo: { type: "page", browserContextId: "of the page" } },
  };
  const ask: SendCommand = async (method) => {
    commands.push(method);
    return responses[method] ?? {};
  };
  const serve = (method: string, params?: object): Promise<CommandOutcome> =>
    client.serve({ method, params }, ask);
  return {
    client,
    serve,
    files,
    downloads,
    written,
    behaviors,
    applied,
    commands,
    closed,
    responses,
    failures,
    browser,
  };
}

describe("setDownloadBehavior", () => {
  it.each<[string, object, DownloadBehavior | undefined]>([
    ["a directory", { behavior: "allow", downloadPath: "/tmp/d" }, { kind: "allow", directory: "/tmp/d" }],
    [
      "GUID names",
      { behavior: "allowAndName", downloadPath: "/tmp/d/" },
      { kind: "allowAndName", directory: "/tmp/d" },
    ],
    ["a denial", { behavior: "deny" }, { kind: "deny" }],
    ["the default", { behavior: "default" }, undefined],
    ["a Windows directory", { behavior: "allowAndName", downloadPath: "C:\\Temp" }, undefined],
  ])("stores %s, and gives the browser the default", async (_, params, behavior) => {
    const { serve, behaviors } = newClient();
    const outcome = await serve("Browser.setDownloadBehavior", {
      ...params,
      browserContextId: "context",
      eventsEnabled: true,
    });
    expect(behaviors).toEqual([["context", behavior]]);
    expect(outcome).toEqual({
      method: "Browser.setDownloadBehavior",
      params: { behavior: "default", browserContextId: "events context", eventsEnabled: true },
    });
  });

  it.each([
    ["no behavior", {}, "Invalid parameters"],
    ["no parameters", undefined, "Invalid parameters"],
    ["a directory that is not a string", { behavior: "allow", downloadPath: 1 }, "Invalid parameters"],
    ["no directory", { behavior: "allow" }, "downloadPath not provided"],
    ["no directory for GUIDs", { behavior: "allowAndName" }, "downloadPath not provided"],
  ])("fails like in Chrome with %s", async (_, params, message) => {
    const { serve, behaviors } = newClient();
    await expect(serve("Browser.setDownloadBehavior", params)).rejects.toMatchObject({
      code: -32602,
      message,
    });
    expect(behaviors).toEqual([]);
  });

  it("applies to the page's context when set on a page", async () => {
    const { serve, behaviors } = newClient();
    const params = { behavior: "allow", downloadPath: "/tmp/d" };
    expect(await serve("Page.setDownloadBehavior", params)).toEqual({ result: {} });
    expect(behaviors).toEqual([["of the page", { kind: "allow", directory: "/tmp/d" }]]);
  });

  it("is not found on a page in a browser session", async () => {
    const { serve, responses } = newClient();
    responses["Target.getTargetInfo"] = { targetInfo: { type: "browser" } };
    await expect(serve("Page.setDownloadBehavior", { behavior: "deny" })).rejects.toMatchObject({
      code: -32601,
    });
  });

  it("is reset when the client disconnects", async () => {
    const { client, serve, downloads, applied } = newClient();
    await serve("Browser.setDownloadBehavior", { behavior: "deny", browserContextId: "context" });
    expect(downloads.behaviors.isDenied("context")).toBe(true);
    client.end();
    expect(downloads.behaviors.isDenied("context")).toBe(false);
    expect(applied).toEqual(["context"]);
  });
});

describe("download events", () => {
  const downloadEvent = (name: string, params: object) =>
    JSON.stringify({ method: `Browser.download${name}`, params, sessionId: "S" });
  const completed = (params: object = {}) =>
    downloadEvent("Progress", { guid: "g", totalBytes: 3, receivedBytes: 3, state: "completed", ...params });

  it.each([
    ["a start", downloadEvent("WillBegin", { guid: "g", frameId: "f", url: "u", suggestedFilename: "n" })],
    ["progress", downloadEvent("Progress", { guid: "g", state: "inProgress" })],
    ["a cancellation", downloadEvent("Progress", { guid: "g", state: "canceled" })],
    ["another event with similar text", '{"method":"Page.x","params":{"guid":"g","state":"completed"}}'],
    ["a response with similar text", '{"id":1,"result":{"value":".download"}}'],
  ])("pass immediately and unchanged: %s", (_, frame) => {
    expect(newClient().client.handleFrame(frame)).toBe(frame);
  });

  it.each(["Browser", "Page"])(
    "of %s that report completion wait until the file can be read",
    async (domain) => {
      const { client, downloads } = newClient();
      const frame = completed({ filePath: `${DISK}/g` }).replace("Browser", domain);
      const received = Promise.resolve(client.handleFrame(frame));
      const places = downloads.begin({ guid: "g", name: "n.txt" }, "");
      let isReceived = false;
      received.then(() => {
        isReceived = true;
      });
      await Promise.resolve();
      expect(isReceived).toBe(false);
      await downloads.store("g", places, (use) => use(new Blob(["abc"]).stream()));
      expect(JSON.parse((await received) ?? "")).toEqual({
        ...JSON.parse(frame),
        params: { ...JSON.parse(frame).params, filePath: "/home/kernel/Downloads/n.txt" },
      });
    },
  );

  it("contain no path when the browser reports none", async () => {
    const { client, downloads } = newClient();
    const places = downloads.begin({ guid: "g", name: "n.txt" }, "");
    await downloads.store("g", places, (use) => use(new Blob(["abc"]).stream()));
    expect(JSON.parse((await client.handleFrame(completed())) ?? "")).toEqual(JSON.parse(completed()));
  });

  it("report a download that cannot be stored as canceled", async () => {
    const { client, downloads, files } = newClient();
    files.failure = new Error("the quota is used up");
    const places = downloads.begin({ guid: "g", name: "n.txt" }, "");
    await downloads.store("g", places, (use) => use(new Blob(["abc"]).stream()));
    const { params } = JSON.parse((await client.handleFrame(completed({ filePath: `${DISK}/g` }))) ?? "");
    expect(params).toEqual({ guid: "g", totalBytes: 3, receivedBytes: 3, state: "canceled" });
  });

  it("are dropped for Berth's own downloads", () => {
    const { client } = newClient();
    const begins = (guid: string, frameId: string) =>
      downloadEvent("WillBegin", { guid, frameId, url: "blob:x", suggestedFilename: "x.pdf" });
    expect(client.handleFrame(begins("own", "own frame"))).toBeUndefined();
    expect(client.handleFrame(begins("other", "frame"))).toBe(begins("other", "frame"));
    const progress = (guid: string, state: string) => downloadEvent("Progress", { guid, state });
    expect(client.handleFrame(progress("own", "inProgress"))).toBeUndefined();
    expect(client.handleFrame(progress("other", "inProgress"))).toBe(progress("other", "inProgress"));
    expect(client.handleFrame(progress("own", "completed"))).toBeUndefined();
  });
});

describe("files for a page", () => {
  it("are copied to the browser's disk", async () => {
    const { serve, files, written } = newClient();
    files.files.set("/tmp/y.txt", new TextEncoder().encode("why"));
    const params = { files: ["/home/kernel/x.pdf", "/tmp/y.txt"], backendNodeId: 3, objectId: "o" };
    expect(await serve("DOM.setFileInputFiles", params)).toEqual({
      method: "DOM.setFileInputFiles",
      params: { files: [`${DISK}/1/x.pdf`, `${DISK}/2/y.txt`], backendNodeId: 3, objectId: "o" },
    });
    expect(written).toEqual([
      ["x.pdf", "of the machine"],
      ["y.txt", "why"],
    ]);
  });

  it.each(["/etc/passwd", "/home/kernel", "home/kernel/x.pdf", "x.pdf", "", "/home/kernel/../../etc/passwd"])(
    "are never the browser's own: %j",
    async (path) => {
      const { serve, failures } = newClient();
      await expect(serve("DOM.setFileInputFiles", { files: [path], nodeId: 1 })).rejects.toMatchObject({
        code: -32000,
        message: `File not found: ${path}`,
      });
      expect(failures).toEqual([]);
    },
  );

  it.each([{}, { files: "/etc/passwd" }, { files: [1] }, { files: { 0: "/etc/passwd" } }])(
    "are rejected unless they are a list of paths: %j",
    async (params) => {
      await expect(newClient().serve("DOM.setFileInputFiles", params)).rejects.toMatchObject({
        code: -32602,
      });
    },
  );

  it("can be empty", async () => {
    const outcome = await newClient().serve("DOM.setFileInputFiles", { files: [], nodeId: 1 });
    expect(outcome).toEqual({ method: "DOM.setFileInputFiles", params: { files: [], nodeId: 1 } });
  });

  it("fail without revealing internal errors", async () => {
    const { serve, browser, failures } = newClient();
    browser.disk.write = () => Promise.reject(new Error("something of Berth's"));
    await expect(serve("DOM.setFileInputFiles", { files: ["/home/kernel/x.pdf"] })).rejects.toMatchObject({
      code: -32000,
      message: expect.not.stringContaining("Berth"),
    });
    expect(failures).toHaveLength(1);
  });

  it("are copied when they are dropped, not while they are dragged", async () => {
    const { serve, written } = newClient();
    const drag = (type: string) => ({
      type,
      x: 1,
      y: 2,
      data: { items: [], files: ["/home/kernel/x.pdf"], dragOperationsMask: 1 },
    });
    const over = await serve("Input.dispatchDragEvent", drag("dragOver"));
    expect(over).toMatchObject({ params: { type: "dragOver", x: 1, y: 2, data: { dragOperationsMask: 1 } } });
    expect(JSON.stringify(over)).toMatch(/\["\/profile\/berth-files\/[0-9a-f-]{36}\/x\.pdf"\]/);
    expect(written).toEqual([]);
    expect(await serve("Input.dispatchDragEvent", drag("drop"))).toMatchObject({
      params: { data: { files: [`${DISK}/1/x.pdf`] } },
    });
    await expect(
      serve("Input.dispatchDragEvent", { type: "drop", data: { files: ["/etc/passwd"] } }),
    ).rejects.toMatchObject({ message: "File not found: /etc/passwd" });
  });
});
