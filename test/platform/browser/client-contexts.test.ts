import { describe, expect, it } from "vitest";
import type { MainContext } from "../../../src/platform/browser/contexts/main-context.ts";
import type { ClientCommand, SendCommand } from "../../../src/platform/browser/relay/client-command.ts";
import { ClientContexts } from "../../../src/platform/browser/relay/client-contexts.ts";

const PROXY = { proxyServer: "http://proxy.test:3128", proxyBypassList: "<-loopback>" };
const MAIN: MainContext = { id: "main", defaultId: "default", proxy: PROXY };

function newContexts(mainContext: MainContext | undefined) {
  const commands: [string, object][] = [];
  const authenticated: string[] = [];
  const responses: Record<string, object> = {
    "Target.getBrowserContexts": {
      browserContextIds: ["one", "private 1", "main", "two"],
      defaultBrowserContextId: "default",
    },
    "Target.createBrowserContext": { browserContextId: "created" },
  };
  const ask: SendCommand = async (method, params) => {
    commands.push([method, params]);
    return responses[method] ?? {};
  };
  const contexts = new ClientContexts(async () => ({
    privateContexts: { has: (id) => id.startsWith("private") },
    mainContext,
    authenticate: async (id) => void authenticated.push(id),
  }));
  const serve = (method: string, params?: object) => contexts.serve({ method, params }, ask);
  return { contexts, serve, commands, authenticated };
}

describe("ClientContexts", () => {
  it("lists contexts without Berth's own, with the main one as the default", async () => {
    expect(await newContexts(MAIN).serve("Target.getBrowserContexts")).toEqual({
      result: { browserContextIds: ["one", "two"], defaultBrowserContextId: "main" },
    });
    expect(await newContexts(undefined).serve("Target.getBrowserContexts")).toEqual({
      result: { browserContextIds: ["one", "main", "two"], defaultBrowserContextId: "default" },
    });
  });

  it("gives new contexts the session's proxy, and authenticates them before the client gets them", async () => {
    const { serve, commands, authenticated } = newContexts(MAIN);
    expect(await serve("Target.createBrowserContext", { disposeOnDetach: true })).toEqual({
      result: { browserContextId: "created" },
    });
    expect(commands).toEqual([["Target.createBrowserContext", { disposeOnDetach: true, ...PROXY }]]);
    expect(authenticated).toEqual(["created"]);
  });

  it("ignores a bypass list without a proxy", async () => {
    const { serve, commands } = newContexts(MAIN);
    await serve("Target.createBrowserContext", { proxyBypassList: "*" });
    expect(commands).toEqual([["Target.createBrowserContext", PROXY]]);
  });

  it.each(["", "direct://", "http=a.test:1;https=direct://"])(
    "does not let a context avoid the proxy with %j",
    async (proxyServer) => {
      const { serve, commands } = newContexts(MAIN);
      await serve("Target.createBrowserContext", { proxyServer });
      expect(commands).toEqual([["Target.createBrowserContext", PROXY]]);
    },
  );

  it("closes a context when the proxy's credentials are unavailable", async () => {
    const commands: string[] = [];
    const contexts = new ClientContexts(async () => ({
      privateContexts: { has: () => false },
      mainContext: MAIN,
      authenticate: () => Promise.reject(new Error("no database")),
    }));
    const ask: SendCommand = async (method) => {
      commands.push(method);
      return { browserContextId: "created" };
    };
    const command = { method: "Target.createBrowserContext", params: {} };
    await expect(contexts.serve(command, ask)).rejects.toThrow("try again");
    expect(commands).toEqual(["Target.createBrowserContext", "Target.disposeBrowserContext"]);
  });

  it("keeps a proxy that the client provides", async () => {
    const ownProxy = { proxyServer: "http://own.test:1" };
    expect(await newContexts(MAIN).serve("Target.createBrowserContext", ownProxy)).toEqual({
      method: "Target.createBrowserContext",
      params: ownProxy,
    });
  });

  it("passes commands through in a session without a proxy", async () => {
    const plain = { method: "Target.createBrowserContext", params: { disposeOnDetach: true } };
    for (const main of [undefined, { id: "main", defaultId: "default" }]) {
      expect(await newContexts(main).serve(plain.method, plain.params)).toEqual(plain);
    }
  });

  it("does not dispose of the main context", async () => {
    const { serve } = newContexts(MAIN);
    await expect(serve("Target.disposeBrowserContext", { browserContextId: "main" })).rejects.toThrow(
      "Failed to find",
    );
    expect(await serve("Target.disposeBrowserContext", { browserContextId: "one" })).toEqual({
      method: "Target.disposeBrowserContext",
      params: { browserContextId: "one" },
    });
    await expect(serve("Target.disposeBrowserContext", {})).rejects.toThrow("Invalid parameters");
  });

  it("reports that the browser does not respond", async () => {
    const contexts = new ClientContexts(() => Promise.reject(new Error("gone")));
    const command: ClientCommand = { method: "Target.getBrowserContexts", params: {} };
    await expect(contexts.serve(command, async () => ({}))).rejects.toThrow("does not answer");
    expect([contexts.serves(command), contexts.serves({ method: "Page.enable", params: {} })]).toEqual([
      true,
      false,
    ]);
  });
});
