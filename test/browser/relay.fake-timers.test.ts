import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CommandError, type CommandHandler } from "../../src/browser/relay/client-command.ts";
import { Relay, type RelayClosed } from "../../src/browser/relay/relay.ts";
import { QUIET_MS } from "../../src/browser/relay/silence-watch.ts";
import { Listener, socketPair } from "../sockets.ts";

const IDLE_MS = 3_600_000;
const PROBE_ID = 2_147_483_647;

/** Serves nothing, and lets every frame pass. */
const NO_SERVER: CommandHandler = {
  serve: () => Promise.reject(new Error("nothing is served")),
  handleFrame: (frame) => frame,
};

/** A relay with the far ends of both its sockets in the test's hands. */
function connect(idleMs = IDLE_MS, server: CommandHandler = NO_SERVER) {
  const [client, clientEnd] = socketPair();
  const [browser, browserEnd] = socketPair();
  const ends: RelayClosed[] = [];
  const heardByClient = new Listener(client);
  const heardByBrowser = new Listener(browser);
  const relay = new Relay({
    client: clientEnd,
    upstream: browserEnd,
    server,
    mainContext: () => undefined,
    isPrivate: () => false,
    isOfBrowser: true,
    idleMs,
    onClosed: (closed) => ends.push(closed),
  });
  return { relay, client, browser, heardByClient, heardByBrowser, ends };
}

describe("Relay", () => {
  it("carries frames both ways, in order and as they are", async () => {
    const { client, browser, heardByClient, heardByBrowser } = connect();
    const commands = Array.from({ length: 200 }, (_, id) => `{ "id": ${id}, "method":"Page.enable"}`);
    const answers = Array.from({ length: 200 }, (_, id) => `{"id":${id},"result":{ }}`);
    for (const command of commands) client.send(command);
    for (const answer of answers) browser.send(answer);
    expect(await heardByBrowser.first(200)).toEqual(commands);
    expect(await heardByClient.first(200)).toEqual(answers);
  });

  it("answers Browser.close itself and ends this client's connection alone", async () => {
    const { client, heardByClient, heardByBrowser, ends } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    client.send('{"id":2,"sessionId":"S","method":"Browser.close"}');
    expect((await heardByClient.closed).code).toBe(1000);
    expect((await heardByBrowser.closed).code).toBe(1000);
    expect(heardByClient.frames).toEqual(['{"id":2,"result":{},"sessionId":"S"}']);
    expect(heardByBrowser.frames).toEqual(['{"id":1,"method":"Page.enable"}']);
    expect(ends).toEqual([expect.objectContaining({ by: "relay", code: 1000 })]);
  });

  it("answers a refused command with a protocol error and goes on", async () => {
    const { client, heardByClient, heardByBrowser, ends } = connect();
    client.send('{"id":1,"method":"Browser.crashGpuProcess"}');
    client.send('{"id":2,"method":"Page.enable"}');
    expect(await heardByBrowser.first(1)).toEqual(['{"id":2,"method":"Page.enable"}']);
    const [answer] = await heardByClient.first(1);
    expect(JSON.parse(String(answer))).toEqual({
      id: 1,
      error: { code: -32000, message: expect.stringContaining("not allowed") },
    });
    expect(ends).toEqual([]);
  });

  it("refuses a binary frame with 1003", async () => {
    const { client, heardByClient, heardByBrowser } = connect();
    client.send(new Uint8Array([1, 2, 3]));
    expect((await heardByClient.closed).code).toBe(1003);
    expect((await heardByBrowser.closed).code).toBe(1000);
    expect(heardByBrowser.frames).toEqual([]);
  });

  it.each([
    [1000, "done"],
    [4321, "own reasons"],
  ])("tells the browser of a client's close %d as a plain one", async (code, reason) => {
    const { client, heardByBrowser, ends } = connect();
    client.close(code, reason);
    expect((await heardByBrowser.closed).code).toBe(1000);
    expect(ends).toEqual([{ by: "client", code, reason }]);
  });

  it("tells the client the browser's close code and reason", async () => {
    const { browser, heardByClient, ends } = connect();
    browser.close(1012, "restarting");
    expect(await heardByClient.closed).toMatchObject({ code: 1012, reason: "restarting" });
    expect(ends).toEqual([{ by: "browser", code: 1012, reason: "restarting" }]);
  });

  it("puts a sendable code in the place of one that only says that none was sent", async () => {
    const { browser, heardByClient, ends } = connect();
    browser.close();
    expect((await heardByClient.closed).code).toBe(1011);
    expect(ends).toEqual([expect.objectContaining({ by: "browser", code: 1005 })]);
  });

  it("cuts a reason that is too long for a close frame, at a whole character", async () => {
    const { relay, heardByClient } = connect();
    relay.close(1001, "é".repeat(100));
    expect(await heardByClient.closed).toMatchObject({ code: 1001, reason: "é".repeat(61) });
  });

  it("ends once, whoever else ends it after that", async () => {
    const { relay, client, browser, heardByClient, heardByBrowser, ends } = connect();
    relay.close(1001, "the session ended");
    relay.close(1009, "again");
    client.close(1000);
    browser.close(1000);
    await Promise.all([heardByClient.closed, heardByBrowser.closed]);
    expect(ends).toEqual([{ by: "relay", code: 1001, reason: "the session ended" }]);
  });

  it("carries nothing more once it has ended", async () => {
    const { relay, client, browser, heardByClient, heardByBrowser } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await heardByBrowser.first(1);
    relay.close(1001, "over");
    client.send('{"id":2,"method":"Page.enable"}');
    browser.send('{"id":1,"result":{}}');
    await Promise.all([heardByClient.closed, heardByBrowser.closed]);
    expect(heardByBrowser.frames).toHaveLength(1);
    expect(heardByClient.frames).toEqual([]);
  });
});

describe("Relay, of commands that are served", () => {
  const SERVED = '{"id":7,"method":"DOM.setFileInputFiles","params":{"files":["/a"]},"sessionId":"S"}';

  it("sends on what they come to, under the client's id and in its session", async () => {
    const server: CommandHandler = {
      ...NO_SERVER,
      serve: async ({ method, params }) => ({ method, params: { served: params } }),
    };
    const { client, browser, heardByClient, heardByBrowser } = connect(IDLE_MS, server);
    client.send(SERVED);
    const [sent] = await heardByBrowser.first(1);
    expect(JSON.parse(String(sent))).toEqual({
      id: 7,
      method: "DOM.setFileInputFiles",
      params: { served: { files: ["/a"] } },
      sessionId: "S",
    });
    browser.send('{"id":7,"result":{},"sessionId":"S"}');
    expect(await heardByClient.first(1)).toEqual(['{"id":7,"result":{},"sessionId":"S"}']);
  });

  it("answers them where they are served without the browser", async () => {
    const { client, heardByClient, heardByBrowser } = connect(IDLE_MS, {
      ...NO_SERVER,
      serve: async () => ({ result: { done: true } }),
    });
    client.send(SERVED);
    const [answer] = await heardByClient.first(1);
    expect(JSON.parse(String(answer))).toEqual({ id: 7, result: { done: true }, sessionId: "S" });
    expect(heardByBrowser.frames).toEqual([]);
  });

  it.each([
    ["refused with its code", new CommandError(-32602, "no"), { code: -32602, message: "no" }],
    ["failed without its reason", new Error("a secret"), { code: -32000, message: "Internal error" }],
  ])("answers one that is %s", async (_, failure, error) => {
    const { client, heardByClient, ends } = connect(IDLE_MS, {
      ...NO_SERVER,
      serve: () => Promise.reject(failure),
    });
    client.send(SERVED);
    const [answer] = await heardByClient.first(1);
    expect(JSON.parse(String(answer))).toEqual({ id: 7, error, sessionId: "S" });
    expect(ends).toEqual([]);
  });

  it("lets other commands overtake one that takes its time", async () => {
    const served = Promise.withResolvers<void>();
    const server: CommandHandler = {
      ...NO_SERVER,
      serve: async ({ method }) => {
        await served.promise;
        return { method, params: {} };
      },
    };
    const { client, heardByBrowser } = connect(IDLE_MS, server);
    client.send(SERVED);
    client.send('{"id":8,"method":"Page.enable"}');
    expect(await heardByBrowser.first(1)).toEqual(['{"id":8,"method":"Page.enable"}']);
    served.resolve();
    const [, late] = await heardByBrowser.first(2);
    expect(JSON.parse(String(late))).toMatchObject({ id: 7 });
  });

  it("asks the browser in the client's session, and keeps the answer from the client", async () => {
    const server: CommandHandler = {
      ...NO_SERVER,
      serve: async (_, ask) => ({ result: await ask("Target.getTargetInfo", { a: 1 }) }),
    };
    const { client, browser, heardByClient, heardByBrowser } = connect(IDLE_MS, server);
    client.send(SERVED);
    const [asked] = await heardByBrowser.first(1);
    const question = JSON.parse(String(asked));
    expect(question).toMatchObject({ method: "Target.getTargetInfo", params: { a: 1 }, sessionId: "S" });
    browser.send(JSON.stringify({ id: question.id, result: { of: "page" }, sessionId: "S" }));
    const [answer] = await heardByClient.first(1);
    expect(JSON.parse(String(answer))).toEqual({ id: 7, result: { of: "page" }, sessionId: "S" });
    client.send(SERVED);
    const [, again] = await heardByBrowser.first(2);
    const { id } = JSON.parse(String(again));
    expect(id).not.toBe(question.id);
    browser.send(JSON.stringify({ id, error: { code: -32000, message: "Not allowed" }, sessionId: "S" }));
    const [, refused] = await heardByClient.first(2);
    expect(JSON.parse(String(refused))).toMatchObject({ id: 7, error: { message: "Not allowed" } });
  });
});

describe("Relay, of news about downloads", () => {
  const news = (guid: string) =>
    `{"method":"Browser.downloadProgress","params":{"guid":"${guid}","state":"completed"}}`;

  it("passes them on as, and when, the server says, and other frames meanwhile", async () => {
    const stored = Promise.withResolvers<string>();
    const { browser, heardByClient } = connect(IDLE_MS, {
      ...NO_SERVER,
      handleFrame: (frame) =>
        frame === news("a") ? stored.promise : frame === news("b") ? undefined : frame,
    });
    for (const frame of [news("a"), news("b"), news("c"), '{"method":"Page.loadEventFired"}']) {
      browser.send(frame);
    }
    expect(await heardByClient.first(2)).toEqual([news("c"), '{"method":"Page.loadEventFired"}']);
    stored.resolve("stored");
    expect(await heardByClient.first(3)).toContain("stored");
  });

  it("shows the server no other frames, and none that is too long to be news", async () => {
    const heard: string[] = [];
    const { browser, heardByClient } = connect(IDLE_MS, {
      ...NO_SERVER,
      handleFrame: (frame) => {
        heard.push(frame);
        return frame;
      },
    });
    const long = news("x".repeat(20_000));
    for (const frame of ['{"method":"Page.loadEventFired"}', long, news("a")]) browser.send(frame);
    expect(await heardByClient.first(3)).toContain(long);
    expect(heard).toEqual([news("a")]);
  });
});

describe("Relay, as time goes by", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("asks a silent browser for a sign of life, and gives up with 1009 when none comes", async () => {
    const { client, heardByClient, heardByBrowser, ends } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await heardByBrowser.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS);
    const [, probe] = await heardByBrowser.first(2);
    expect(JSON.parse(String(probe))).toMatchObject({ id: PROBE_ID });
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(QUIET_MS);
    const closed = await heardByClient.closed;
    expect(closed.code).toBe(1009);
    expect(closed.reason).toContain("32 MiB");
    expect(ends).toHaveLength(1);
  });

  it("goes on when the browser gives the sign, of which the client hears nothing", async () => {
    const { client, browser, heardByClient, heardByBrowser, ends } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await heardByBrowser.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS);
    await heardByBrowser.first(2);
    browser.send(`{"id":${PROBE_ID},"result":{}}`);
    browser.send('{"method":"Page.loadEventFired"}');
    await heardByClient.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS - 1);
    browser.send('{"id":1,"result":{}}');
    expect(await heardByClient.first(2)).toEqual([
      '{"method":"Page.loadEventFired"}',
      '{"id":1,"result":{}}',
    ]);
    await vi.advanceTimersByTimeAsync(QUIET_MS * 5);
    expect(heardByBrowser.frames).toHaveLength(2);
    expect(ends).toEqual([]);
  });

  it("leaves a browser in peace that owes no answer", async () => {
    const { client, browser, heardByClient, heardByBrowser, ends } = connect();
    client.send('{"id":1,"method":"Page.enable"}');
    await heardByBrowser.first(1);
    browser.send('{"id":1,"result":{}}');
    await heardByClient.first(1);
    await vi.advanceTimersByTimeAsync(QUIET_MS * 10);
    expect(heardByBrowser.frames).toHaveLength(1);
    expect(ends).toEqual([]);
  });

  it("closes with 1001 after the idle time without a frame either way", async () => {
    const { client, browser, heardByClient, heardByBrowser, ends } = connect(IDLE_MS);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1000);
    client.send('{"id":1,"method":"Page.enable"}');
    await heardByBrowser.first(1);
    browser.send('{"id":1,"result":{}}');
    await heardByClient.first(1);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(ends).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await heardByClient.closed).toMatchObject({ code: 1001, reason: "no frame for too long" });
    await heardByBrowser.closed;
  });

  it("keeps no timer once it has ended", async () => {
    const { client, heardByBrowser } = connect();
    client.close(1000);
    await heardByBrowser.closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});
