import { describe, expect, it } from "vitest";
import type { MainContext } from "../../src/browser/contexts/main-context.ts";
import type { ClientCommand, SendCommand } from "../../src/browser/relay/client-command.ts";
import { ClientContexts } from "../../src/browser/relay/client-contexts.ts";

const PROXY = { proxyServer: "http://proxy.test:3128", proxyBypassList: "<-loopback>" };
const MAIN: MainContext = { id: "main", defaultId: "default", proxy: PROXY };

function newClient(mainContext: MainContext | undefined) {
  const asked: [string, object][] = [];
  const authenticated: string[] = [];
  const answers: Record<string, object> = {
    "Target.getBrowserContexts": {
      browserContextIds: ["one", "private 1", "main", "two"],
      defaultBrowserContextId: "default",
    },
    "Target.createBrowserContext": { browserContextId: "created" },
  };
  const ask: SendCommand = async (method, params) => {
    asked.push([method, params]);
    return answers[method] ?? {};
  };
  const contexts = new ClientContexts(async () => ({
    privateContexts: { has: (id) => id.startsWith("private") },
    mainContext,
    authenticate: async (id) => void authenticated.push(id),
  }));
  const serve = (method: string, params?: object) => contexts.serve({ method, params }, ask);
  return { contexts, serve, asked, authenticated };
}

describe("a client's contexts", () => {
  it("are listed without Berth's own, the main one as the default one", async () => {
    expect(await newClient(MAIN).serve("Target.getBrowserContexts")).toEqual({
      result: { browserContextIds: ["one", "two"], defaultBrowserContextId: "main" },
    });
    expect(await newClient(undefined).serve("Target.getBrowserContexts")).toEqual({
      result: { browserContextIds: ["one", "main", "two"], defaultBrowserContextId: "default" },
    });
  });

  it("get the session's proxy, and are told its credentials before the client has them", async () => {
    const { serve, asked, authenticated } = newClient(MAIN);
    expect(await serve("Target.createBrowserContext", { disposeOnDetach: true })).toEqual({
      result: { browserContextId: "created" },
    });
    expect(asked).toEqual([["Target.createBrowserContext", { disposeOnDetach: true, ...PROXY }]]);
    expect(authenticated).toEqual(["created"]);
  });

  it("cannot widen what goes past the session's proxy", async () => {
    const { serve, asked } = newClient(MAIN);
    await serve("Target.createBrowserContext", { proxyBypassList: "*" });
    expect(asked).toEqual([["Target.createBrowserContext", PROXY]]);
  });

  it.each(["", "direct://", "http=a.test:1;https=direct://"])(
    "cannot go without it (%s)",
    async (proxyServer) => {
      const { serve, asked } = newClient(MAIN);
      await serve("Target.createBrowserContext", { proxyServer });
      expect(asked).toEqual([["Target.createBrowserContext", PROXY]]);
    },
  );

  it("are closed where the proxy's credentials cannot be had", async () => {
    const asked: string[] = [];
    const contexts = new ClientContexts(async () => ({
      privateContexts: { has: () => false },
      mainContext: MAIN,
      authenticate: () => Promise.reject(new Error("no database")),
    }));
    const ask: SendCommand = async (method) => {
      asked.push(method);
      return { browserContextId: "created" };
    };
    const command = { method: "Target.createBrowserContext", params: {} };
    await expect(contexts.serve(command, ask)).rejects.toThrow("try again");
    expect(asked).toEqual(["Target.createBrowserContext", "Target.disposeBrowserContext"]);
  });

  it("keep a proxy that the client gives them", async () => {
    const given = { proxyServer: "http://own.test:1" };
    expect(await newClient(MAIN).serve("Target.createBrowserContext", given)).toEqual({
      method: "Target.createBrowserContext",
      params: given,
    });
  });

  it("are as the client asks for in a session without a proxy", async () => {
    const plain = { method: "Target.createBrowserContext", params: { disposeOnDetach: true } };
    for (const main of [undefined, { id: "main", defaultId: "default" }]) {
      expect(await newClient(main).serve(plain.method, plain.params)).toEqual(plain);
    }
  });

  it("cannot be taken for the main one to dispose of it", async () => {
    const { serve } = newClient(MAIN);
    await expect(serve("Target.disposeBrowserContext", { browserContextId: "main" })).rejects.toThrow(
      "Failed to find",
    );
    expect(await serve("Target.disposeBrowserContext", { browserContextId: "one" })).toEqual({
      method: "Target.disposeBrowserContext",
      params: { browserContextId: "one" },
    });
    await expect(serve("Target.disposeBrowserContext", {})).rejects.toThrow("Invalid parameters");
  });

  it("say that the browser does not answer", async () => {
    const contexts = new ClientContexts(() => Promise.reject(new Error("gone")));
    const command: ClientCommand = { method: "Target.getBrowserContexts", params: {} };
    await expect(contexts.serve(command, async () => ({}))).rejects.toThrow("does not answer");
    expect([contexts.serves(command), contexts.serves({ method: "Page.enable", params: {} })]).toEqual([
      true,
      false,
    ]);
  });
});
