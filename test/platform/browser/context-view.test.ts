import { describe, expect, it } from "vitest";
import { mayOpen } from "../../../src/platform/browser/allowed-urls.ts";
import type { MainContext } from "../../../src/platform/browser/contexts/main-context.ts";
import { ContextView } from "../../../src/platform/browser/relay/context-view.ts";

const MAIN: MainContext = { id: "main", defaultId: "default" };

function newView() {
  const sent: [string, object, string | undefined][] = [];
  const state: { mainContext: MainContext | undefined } = { mainContext: MAIN };
  const view = new ContextView({
    mainContext: () => state.mainContext,
    isPrivate: (id) => id.startsWith("private"),
    mayOpen,
    isSkipped: () => false,
    send: (...command) => void sent.push(command),
  });
  return { view, sent, state };
}

function event(method: string, params: object, sessionId?: string): string {
  return JSON.stringify({ method, params, ...(sessionId === undefined ? {} : { sessionId }) });
}

const target = (browserContextId: string, type = "page", url = "https://a.test/") => ({
  targetInfo: { targetId: "T", type, url, browserContextId },
});
const attached = (browserContextId: string, sessionId: string, type = "page") =>
  event("Target.attachedToTarget", { sessionId, ...target(browserContextId, type) });

describe("ContextView", () => {
  it.each(["Target.targetCreated", "Target.targetInfoChanged"])(
    "passes %s in all contexts except the default one",
    (method) => {
      const { view } = newView();
      expect(view.handleFrame(event(method, target("default")))).toBeUndefined();
      for (const context of ["main", "a client's own"]) {
        const frame = event(method, target(context));
        expect(view.handleFrame(frame)).toBe(frame);
      }
    },
  );

  it("passes all events when the default context is the main one", () => {
    const { view, state } = newView();
    state.mainContext = undefined;
    const frame = event("Target.targetCreated", target("default"));
    expect(view.handleFrame(frame)).toBe(frame);
  });

  it("detaches from a target in the default context and drops its events", () => {
    const { view, sent } = newView();
    expect(view.handleFrame(attached("default", "S1"))).toBeUndefined();
    expect(sent).toEqual([
      ["Runtime.runIfWaitingForDebugger", {}, "S1"],
      ["Target.detachFromTarget", { sessionId: "S1" }, undefined],
    ]);
    expect(view.handleFrame(event("Page.frameNavigated", {}, "S1"))).toBeUndefined();
    expect(
      view.handleFrame(event("Target.attachedToTarget", { sessionId: "S2", ...target("main") }, "S1")),
    ).toBeUndefined();
    const other = event("Page.frameNavigated", {}, "S3");
    expect(view.handleFrame(other)).toBe(other);
    expect(view.handleFrame(event("Target.detachedFromTarget", { sessionId: "S1" }))).toBeUndefined();
    expect(view.handleFrame(event("Page.frameNavigated", {}, "S1"))).toBeDefined();
  });

  it("removes the default context from target lists, and leaves similar responses alone", () => {
    const { view } = newView();
    const list = (...contexts: string[]) =>
      JSON.stringify({
        id: 1,
        result: { targetInfos: contexts.map((context) => target(context).targetInfo) },
      });
    expect(view.handleFrame(list("default", "main", "own"))).toBe(list("main", "own"));
    const value = JSON.stringify({ id: 1, result: { result: { value: { targetInfos: [] } } } });
    expect(view.handleFrame(value)).toBe(value);
  });

  describe("a page of the browser", () => {
    const inspect = target("main", "page", "chrome://inspect/");

    it("is neither announced, listed nor described", () => {
      const { view } = newView();
      for (const method of ["Target.targetCreated", "Target.targetInfoChanged"])
        expect(view.handleFrame(event(method, inspect))).toBeUndefined();
      const answer = (result: object) => JSON.stringify({ id: 1, result });
      expect(view.handleFrame(answer({ targetInfos: [inspect.targetInfo] }))).toBe(
        answer({ targetInfos: [] }),
      );
      expect(JSON.parse(view.handleFrame(answer(inspect)) ?? "")).toEqual({
        id: 1,
        error: { code: -32602, message: expect.any(String) },
      });
      expect(view.handleFrame(answer(target("main")))).toBe(answer(target("main")));
    });

    it("is detached from before the client knows the session", () => {
      const { view, sent } = newView();
      const frame = event("Target.attachedToTarget", { sessionId: "S", ...inspect });
      expect(view.handleFrame(frame)).toBeUndefined();
      expect(sent).toContainEqual(["Target.detachFromTarget", { sessionId: "S" }, undefined]);
    });

    it.each<[string, (view: ContextView) => void]>([
      ["the client is told so", (view) => view.handleFrame(event("Target.targetInfoChanged", inspect))],
      ["Berth's own connection is", (view) => view.hide("T")],
    ])("is detached from when an attached page opens it and %s", (_, open) => {
      const { view, sent } = newView();
      view.handleFrame(event("Target.attachedToTarget", { sessionId: "S", ...target("main") }, "P"));
      open(view);
      expect(sent).toContainEqual(["Target.detachFromTarget", { sessionId: "S" }, "P"]);
      expect(view.handleFrame(event("Runtime.consoleAPICalled", {}, "S"))).toBeUndefined();
      expect(view.handleFrame(JSON.stringify({ id: 1, result: {}, sessionId: "S" }))).toBeUndefined();
      const detached = event("Target.detachedFromTarget", { sessionId: "S" });
      expect(view.handleFrame(detached)).toBe(detached);
    });
  });

  it("recognizes a browser session until it is detached", () => {
    const { view } = newView();
    view.handleFrame(attached("main", "S1"));
    view.handleFrame(
      event("Target.attachedToTarget", {
        sessionId: "B",
        targetInfo: { targetId: "T", type: "browser", url: "" },
      }),
    );
    expect([view.isOfBrowser("B"), view.isOfBrowser("S1")]).toEqual([true, false]);
    view.handleFrame(event("Target.detachedFromTarget", { sessionId: "B" }));
    expect(view.isOfBrowser("B")).toBe(false);
  });

  it("hides Berth's own contexts, whatever the main one is", () => {
    for (const mainContext of [MAIN, undefined]) {
      const { view, state } = newView();
      state.mainContext = mainContext;
      expect(view.handleFrame(event("Target.targetCreated", target("private 1")))).toBeUndefined();
    }
  });

  it.each([
    ["a header", { headers: { "Proxy-Authorization": "Basic c2VjcmV0", Host: "a.test" } }],
    ["a header in lower case", { headers: { "proxy-authorization": "Basic c2VjcmV0" } }],
    [
      "the headers text",
      { headersText: "GET / HTTP/1.1\r\nProxy-Authorization: Basic c2VjcmV0\r\nHost: a.test" },
    ],
    [
      "a wrapped event",
      { message: JSON.stringify({ headers: { "Proxy-Authorization": "Basic c2VjcmV0" } }) },
    ],
  ])("removes the proxy's credentials from %s", (_, params) => {
    const { view, state } = newView();
    const frame = event("Network.requestWillBeSentExtraInfo", params);
    expect(view.handleFrame(frame)).toBe(frame);
    state.mainContext = { ...MAIN, proxy: { proxyServer: "http://p.test:1", proxyBypassList: "" } };
    const passed = view.handleFrame(frame) ?? "";
    expect(passed).not.toContain("c2VjcmV0");
    expect(JSON.parse(passed)).toMatchObject({ method: "Network.requestWillBeSentExtraInfo" });
    expect(passed.includes("a.test")).toBe(frame.includes("a.test"));
  });
});
