import { connect, type Socket } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { DevToolsClient, ProtocolError } from "./devtools-client.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

const MIB = 2 ** 20;

const DISCONNECT_TIMEOUT_MS = 30_000;

const contextSchema = z.object({ browserContextId: z.string() });
const contextsSchema = z.object({ browserContextIds: z.array(z.string()) });

let sessionId: string;
let address: string;

const service = await SharedService.use();
beforeEach(async () => {
  const kernel = service.kernel();
  const session = await kernel.browsers.create();
  sessionId = session.session_id;
  address = session.cdp_ws_url;
  return () => kernel.browsers.deleteByID(session.session_id);
});

describe("frames", () => {
  test("of 16 MiB pass intact in both directions", async () => {
    using client = await DevToolsClient.connect(address);
    const page = await client.attach();
    const down = await client.evaluate(`"0123456789abcdef".repeat(${MIB})`, page);
    expect(down === "0123456789abcdef".repeat(MIB)).toBe(true);
    const up = "fedcba9876543210".repeat(MIB);
    expect(await client.evaluate(`text = "${up}"; text.length + text.slice(-16)`, page)).toBe(
      `${16 * MIB}fedcba9876543210`,
    );
  });

  test("keep their order when many commands are in flight", async () => {
    using client = await DevToolsClient.connect(address);
    const page = await client.attach();
    await client.evaluate("seen = []", page);
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    const results = await Promise.all(numbers.map((n) => client.evaluate(`seen.push(${n}), ${n}`, page)));
    expect(results).toEqual(numbers);
    expect(await client.evaluate("seen", page)).toEqual(numbers);
  });
});

describe("window size", () => {
  test("is never smaller than the viewport, even on the first read", async () => {
    const kernel = service.kernel();
    for (let round = 0; round < 3; round += 1) {
      const session = await kernel.browsers.create({ viewport: { width: 1024, height: 768 } });
      using client = await DevToolsClient.connect(session.cdp_ws_url);
      const size = await client.evaluate(
        "[outerWidth, outerHeight, innerWidth, innerHeight]",
        await client.attach(),
      );
      const [outerWidth, outerHeight, innerWidth, innerHeight] = z.array(z.number()).parse(size);
      expect(outerWidth).toBeGreaterThanOrEqual(innerWidth ?? 0);
      expect(outerHeight).toBeGreaterThanOrEqual(innerHeight ?? 0);
      expect([innerWidth, innerHeight]).toEqual([1024, 768]);
      await kernel.browsers.deleteByID(session.session_id);
    }
  });
});

describe("forbidden commands", () => {
  const forbidden = [
    "Browser.crash",
    "Browser.crashGpuProcess",
    "Cloudflare.getSessionId",
    "Cloudflare.anythingElse",
  ];
  for (const method of forbidden) {
    test(`${method} returns a protocol error`, async () => {
      using client = await DevToolsClient.connect(address);
      await expect(client.send(method)).rejects.toThrow(ProtocolError);
      expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);
    });
  }

  test("Browser.close succeeds and closes only this client's connection", async () => {
    using other = await DevToolsClient.connect(address);
    const page = await other.attach();
    using client = await DevToolsClient.connect(address);
    expect(await client.send("Browser.close")).toEqual({});
    expect(await client.closed).toMatchObject({ code: 1000 });
    expect(await other.evaluate("1 + 1", page)).toBe(2);
  });

  test("are rejected when escaped or wrapped in another command", async () => {
    using client = await DevToolsClient.connect(address);
    const frames = Promise.withResolvers<string>();
    client.socket.on("message", (data) => frames.resolve(data.toString()));
    client.socket.send(String.raw`{"id":9000,"method":"Browser.cr\u0061sh"}`);
    expect(JSON.parse(await frames.promise)).toMatchObject({ id: 9000, error: { code: expect.any(Number) } });
    const message = JSON.stringify({ id: 1, method: "Browser.crash" });
    await expect(client.send("Target.sendMessageToTarget", { message })).rejects.toThrow(ProtocolError);
    expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);
  });
});

describe("abrupt disconnects", () => {
  async function connectOverSocket(): Promise<{ client: DevToolsClient; socket: Socket }> {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port) });
    const client = await DevToolsClient.connect(address, { createConnection: () => socket });
    return { client, socket };
  }

  const disconnects: [string, (connection: { client: DevToolsClient; socket: Socket }) => void][] = [
    ["end of the TCP connection without a close frame", ({ client }) => client.socket.terminate()],
    ["reset of the TCP connection", ({ socket }) => socket.resetAndDestroy()],
    [
      "reset in the middle of a frame",
      ({ client, socket }) => {
        client.socket.send(
          `{"id":2,"method":"Runtime.evaluate","params":{"expression":"${"1".repeat(MIB)}"}}`,
        );
        socket.resetAndDestroy();
      },
    ],
  ];
  for (const [kind, disconnect] of disconnects) {
    test(`${kind} closes the connection to the browser`, async () => {
      using witness = await DevToolsClient.connect(address);
      const connection = await connectOverSocket();
      const created = await connection.client.send("Target.createBrowserContext", { disposeOnDetach: true });
      // The browser disposes this context only when the connection that created it closes.
      const { browserContextId } = contextSchema.parse(created);
      expect(await contexts(witness)).toContain(browserContextId);

      const since = service.log.mark();
      disconnect(connection);
      const disconnected = { event: "client_disconnected", session_id: sessionId };
      const event = await service.log.waitForEvent(disconnected, { since, withinMs: DISCONNECT_TIMEOUT_MS });
      expect(event).toMatchObject({ by: "client", organization_id: expect.any(String) });
      await expect
        .poll(() => contexts(witness), { timeout: DISCONNECT_TIMEOUT_MS })
        .not.toContain(browserContextId);
      expect(service.log.events(disconnected, since)).toHaveLength(1);
    });
  }

  async function contexts(client: DevToolsClient): Promise<string[]> {
    return contextsSchema.parse(await client.send("Target.getBrowserContexts")).browserContextIds;
  }
});

test("start_url opens in the session's first tab", async () => {
  await using site = await openSite();
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create({ start_url: `${site.origin}/popup` });
  using client = await DevToolsClient.connect(cdp_ws_url);
  const urls = async () => (await client.pages()).map(({ url }) => url);
  await expect.poll(urls, { timeout: 30_000 }).toEqual([`${site.origin}/popup`]);
  await kernel.browsers.deleteByID(session_id);
});
