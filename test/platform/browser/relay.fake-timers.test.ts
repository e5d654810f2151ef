import { beforeEach, describe, expect, it, vi } from "vitest";
import { mayOpen } from "../../../src/platform/browser/allowed-urls.ts";
import { CommandError, type CommandHandler } from "../../../src/platform/browser/relay/client-command.ts";
import { Relay, type RelayClosed } from "../../../src/platform/browser/relay/relay.ts";
import { QUIET_MS } from "../../../src/platform/browser/relay/silence-watch.ts";
import { Listener, socketPair } from "../../sockets.ts";

const IDLE_MS = 3_600_000;
const PROBE_ID = 2_147_483_647;

/** Serves no commands and passes every frame. */
const NO_HANDLER: CommandHandler = {
  serve: () => Promise.reject(new Error("nothing is served")),
  handleFrame: (frame) => frame,
};

/** A relay, the far ends of its sockets, and its close events. */
function connect(idleMs = IDLE_MS, handler: CommandHandler = NO_HANDLER, answersOthers = async () => true) {
  const [client, clientEnd] = socketPair();
  const [browser, browserEnd] = socketPair();
  const closeEvents: RelayClosed[] = [];
  const clientListener = new Listener(client);
  const browserListener = new Listener(browser);
  const relay = new Relay({
    client: clientEnd,
    browser: browserEnd,
    handler,
    mainContext: () => undefined,
    isPrivate: () => false,
    mayOpen,
    isSkipped: () => false,
    answersOthers,
    pageId: undefined,
    idleMs,
    onClosed: (closed) => closeEvents.push(closed),
  });
  return { relay, client, browser, clientListener, browserListener, closeEvents };
}

describe("Relay", () => {
  it("forwards frames both ways, in order and unchanged", async () => {
    const { client, browser, clientListener, browserListener } = connect();
    const commands = Array.from({ length: 200 }, (_, id) => `{ "id": ${id}, "method":"Page.enable"}`);
    const answers = Array.from({ length: 200 }, (_, id) => `{"id":${id},"result":{ }}`);
    for (const command of commands) client.send(command);
    for (const answer of answers) browser.send(answer);
    expect(await browserListener.first(200)).toEqual(commands);
    expect(await clientListener.first(200)).toEqual(answers);
  });

  it("answers Browser.close itself and closes only this client's connection", async () => {
    const { client, clientListener, browserListener, closeEvents } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    client.send('{"id":2,"sessionId":"S","method":"Browser.close"}');
    expect((await clientListener.closed).code).toBe(1000);
    expect((await browserListener.closed).code).toBe(1000);
    expect(clientListener.frames).toEqual(['{"id":2,"result":{},"sessionId":"S"}']);
    expect(browserListener.frames).toEqual(['{"id":1,"method":"Page.enable"}']);
    expect(closeEvents).toEqual([expect.objectContaining({ by: "relay", code: 1000 })]);
  });

  it("answers a refused command with a protocol error and continues", async () => {
    const { client, clientListener, browserListener, closeEvents } = connect();
    client.send('{"id":1,"method":"Browser.crashGpuProcess"}');
    client.send('{"id":2,"method":"Page.enable"}');
    expect(await browserListener.first(1)).toEqual(['{"id":2,"method":"Page.enable"}']);
    const [answer] = await clientListener.first(1);
    expect(JSON.parse(String(answer))).toEqual({
      id: 1,
      error: { code: -32000, message: expect.stringContaining("not allowed") },
    });
    expect(closeEvents).toEqual([]);
  });

  it("closes with 1003 on a binary frame", async () => {
    const { client, clientListener, browserListener } = connect();
    client.send(new Uint8Array([1, 2, 3]));
    expect((await clientListener.closed).code).toBe(1003);
    expect((await browserListener.closed).code).toBe(1000);
    expect(browserListener.frames).toEqual([]);
  });

  it.each([
    [1000, "done"],
    [4321, "own reasons"],
  ])("closes the browser's socket with 1000 when the client closes with %d", async (code, reason) => {
    const { client, browserListener, closeEvents } = connect();
    client.close(code, reason);
    expect((await browserListener.closed).code).toBe(1000);
    expect(closeEvents).toEqual([{ by: "client", code, reason, frames: expect.any(Number) }]);
  });

  it("passes the browser's close code and reason to the client", async () => {
    const { browser, clientListener, closeEvents } = connect();
    browser.close(1012, "restarting");
    expect(await clientListener.closed).toMatchObject({ code: 1012, reason: "restarting" });
    expect(closeEvents).toEqual([
      { by: "browser", code: 1012, reason: "restarting", frames: expect.any(Number) },
    ]);
  });

  it("replaces code 1005, which cannot be sent", async () => {
    const { browser, clientListener, closeEvents } = connect();
    browser.close();
    expect((await clientListener.closed).code).toBe(1011);
    expect(closeEvents).toEqual([expect.objectContaining({ by: "browser", code: 1005 })]);
  });

  it("truncates a close reason that is too long, at a whole character", async () => {
    const { relay, clientListener } = connect();
    relay.close(1001, "é".repeat(100));
    expect(await clientListener.closed).toMatchObject({ code: 1001, reason: "é".repeat(61) });
  });

  it("closes only once", async () => {
    const { relay, client, browser, clientListener, browserListener, closeEvents } = connect();
    relay.close(1001, "the session ended");
    relay.close(1009, "again");
    client.close(1000);
    browser.close(1000);
    await Promise.all([clientListener.closed, browserListener.closed]);
    expect(closeEvents).toEqual([
      { by: "relay", code: 1001, reason: "the session ended", frames: expect.any(Number) },
    ]);
  });

  it("forwards nothing after it has closed", async () => {
    const { relay, client, browser, clientListener, browserListener } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await browserListener.first(1);
    relay.close(1001, "over");
    client.send('{"id":2,"method":"Page.enable"}');
    browser.send('{"id":1,"result":{}}');
    await Promise.all([clientListener.closed, browserListener.closed]);
    expect(browserListener.frames).toHaveLength(1);
    expect(clientListener.frames).toEqual([]);
  });
});

describe("Relay with served commands", () => {
  const SERVED = '{"id":7,"method":"DOM.setFileInputFiles","params":{"files":["/a"]},"sessionId":"S"}';

  it("forwards the resulting command with the client's id and session", async () => {
    const handler: CommandHandler = {
      ...NO_HANDLER,
      serve: async ({ method, params }) => ({ method, params: { served: params } }),
    };
    const { client, browser, clientListener, browserListener } = connect(IDLE_MS, handler);
    client.send(SERVED);
    const [sent] = await browserListener.first(1);
    expect(JSON.parse(String(sent))).toEqual({
      id: 7,
      method: "DOM.setFileInputFiles",
      params: { served: { files: ["/a"] } },
      sessionId: "S",
    });
    browser.send('{"id":7,"result":{},"sessionId":"S"}');
    expect(await clientListener.first(1)).toEqual(['{"id":7,"result":{},"sessionId":"S"}']);
  });

  it("answers a command that is served without the browser", async () => {
    const { client, clientListener, browserListener } = connect(IDLE_MS, {
      ...NO_HANDLER,
      serve: async () => ({ result: { done: true } }),
    });
    client.send(SERVED);
    const [answer] = await clientListener.first(1);
    expect(JSON.parse(String(answer))).toEqual({ id: 7, result: { done: true }, sessionId: "S" });
    expect(browserListener.frames).toEqual([]);
  });

  it.each([
    ["a refusal with its code", new CommandError(-32602, "no"), { code: -32602, message: "no" }],
    ["a failure without its message", new Error("a secret"), { code: -32000, message: "Internal error" }],
  ])("reports %s", async (_, failure, error) => {
    const { client, clientListener, closeEvents } = connect(IDLE_MS, {
      ...NO_HANDLER,
      serve: () => Promise.reject(failure),
    });
    client.send(SERVED);
    const [answer] = await clientListener.first(1);
    expect(JSON.parse(String(answer))).toEqual({ id: 7, error, sessionId: "S" });
    expect(closeEvents).toEqual([]);
  });

  it("lets other commands overtake a slow one", async () => {
    const served = Promise.withResolvers<void>();
    const handler: CommandHandler = {
      ...NO_HANDLER,
      serve: async ({ method }) => {
        await served.promise;
        return { method, params: {} };
      },
    };
    const { client, browserListener } = connect(IDLE_MS, handler);
    client.send(SERVED);
    client.send('{"id":8,"method":"Page.enable"}');
    expect(await browserListener.first(1)).toEqual(['{"id":8,"method":"Page.enable"}']);
    served.resolve();
    const [, late] = await browserListener.first(2);
    expect(JSON.parse(String(late))).toMatchObject({ id: 7 });
  });

  it("queries the browser in the client's session, and hides the response from the client", async () => {
    const handler: CommandHandler = {
      ...NO_HANDLER,
      serve: async (_, ask) => ({ result: await ask("Target.getTargetInfo", { a: 1 }) }),
    };
    const { client, browser, clientListener, browserListener } = connect(IDLE_MS, handler);
    client.send(SERVED);
    const [sent] = await browserListener.first(1);
    const query = JSON.parse(String(sent));
    expect(query).toMatchObject({ method: "Target.getTargetInfo", params: { a: 1 }, sessionId: "S" });
    browser.send(JSON.stringify({ id: query.id, result: { of: "page" }, sessionId: "S" }));
    const [answer] = await clientListener.first(1);
    expect(JSON.parse(String(answer))).toEqual({ id: 7, result: { of: "page" }, sessionId: "S" });
    client.send(SERVED);
    const [, again] = await browserListener.first(2);
    const { id } = JSON.parse(String(again));
    expect(id).not.toBe(query.id);
    browser.send(JSON.stringify({ id, error: { code: -32000, message: "Not allowed" }, sessionId: "S" }));
    const [, refused] = await clientListener.first(2);
    expect(JSON.parse(String(refused))).toMatchObject({ id: 7, error: { message: "Not allowed" } });
  });
});

describe("Relay with download events", () => {
  const completedEvent = (guid: string) =>
    `{"method":"Browser.downloadProgress","params":{"guid":"${guid}","state":"completed"}}`;

  it("forwards them when the handler does, and other frames meanwhile", async () => {
    const stored = Promise.withResolvers<string>();
    const { browser, clientListener } = connect(IDLE_MS, {
      ...NO_HANDLER,
      handleFrame: (frame) =>
        frame === completedEvent("a") ? stored.promise : frame === completedEvent("b") ? undefined : frame,
    });
    for (const frame of [
      completedEvent("a"),
      completedEvent("b"),
      completedEvent("c"),
      '{"method":"Page.loadEventFired"}',
    ]) {
      browser.send(frame);
    }
    expect(await clientListener.first(2)).toEqual([completedEvent("c"), '{"method":"Page.loadEventFired"}']);
    stored.resolve("stored");
    expect(await clientListener.first(3)).toContain("stored");
  });

  it("passes the handler no other frames, and none that is too long", async () => {
    const received: string[] = [];
    const { browser, clientListener } = connect(IDLE_MS, {
      ...NO_HANDLER,
      handleFrame: (frame) => {
        received.push(frame);
        return frame;
      },
    });
    const long = completedEvent("x".repeat(20_000));
    for (const frame of ['{"method":"Page.loadEventFired"}', long, completedEvent("a")]) browser.send(frame);
    expect(await clientListener.first(3)).toContain(long);
    expect(received).toEqual([completedEvent("a")]);
  });
});

describe("Relay timeouts", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });

  it("probes a silent browser, and closes with 1009 without a response", async () => {
    const { client, clientListener, browserListener, closeEvents } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await browserListener.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS);
    const [, probe] = await browserListener.first(2);
    expect(JSON.parse(String(probe))).toMatchObject({ id: PROBE_ID });
    expect(closeEvents).toEqual([]);
    await vi.advanceTimersByTimeAsync(QUIET_MS);
    const closed = await clientListener.closed;
    expect(closed.code).toBe(1009);
    expect(closed.reason).toContain("32 MiB");
    expect(closeEvents).toHaveLength(1);
  });

  it("keeps a client of a browser that answers nobody", async () => {
    let isStopped = true;
    const { client, browser, clientListener, browserListener, closeEvents } = connect(
      IDLE_MS,
      NO_HANDLER,
      async () => !isStopped,
    );
    client.send('{"id":1,"method":"Page.enable"}');
    await browserListener.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS * 5);
    expect(closeEvents).toEqual([]);
    isStopped = false;
    for (const _ of browserListener.frames.slice(1)) browser.send(`{"id":${PROBE_ID},"result":{}}`);
    browser.send('{"id":1,"result":{}}');
    expect(await clientListener.first(1)).toEqual(['{"id":1,"result":{}}']);
    await vi.advanceTimersByTimeAsync(QUIET_MS * 5);
    expect(closeEvents).toEqual([]);
  });

  it("continues after a response to the probe, which it hides from the client", async () => {
    const { client, browser, clientListener, browserListener, closeEvents } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await browserListener.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS);
    await browserListener.first(2);
    browser.send(`{"id":${PROBE_ID},"result":{}}`);
    browser.send('{"method":"Page.loadEventFired"}');
    await clientListener.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS - 1);
    browser.send('{"id":1,"result":{}}');
    expect(await clientListener.first(2)).toEqual([
      '{"method":"Page.loadEventFired"}',
      '{"id":1,"result":{}}',
    ]);
    await vi.advanceTimersByTimeAsync(QUIET_MS * 5);
    expect(browserListener.frames).toHaveLength(2);
    expect(closeEvents).toEqual([]);
  });

  it("does not probe a browser without pending commands", async () => {
    const { client, browser, clientListener, browserListener, closeEvents } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await browserListener.first(1);
    browser.send('{"id":1,"result":{}}');
    await clientListener.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS * 10);
    expect(browserListener.frames).toHaveLength(1);
    expect(closeEvents).toEqual([]);
  });

  it("closes with 1001 when no frame passes for the idle time", async () => {
    const { client, browser, clientListener, browserListener, closeEvents } = connect(IDLE_MS);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1000);
    client.send('{"id":1,"method":"Page.enable"}');
    await browserListener.first(1);
    browser.send('{"id":1,"result":{}}');
    await clientListener.first(1);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(closeEvents).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await clientListener.closed).toMatchObject({ code: 1001, reason: "no frame for too long" });
    await browserListener.closed;
  });

  it("keeps no timer after it has closed", async () => {
    const { client, browserListener } = connect();
    client.close(1000);
    await browserListener.closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});
