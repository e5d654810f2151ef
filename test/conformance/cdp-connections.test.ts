import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { DevToolsClient, ProtocolError } from "./devtools-client.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

const MIB = 2 ** 20;

/** How soon a connection that broke is to be noticed. */
const NOTICED_WITHIN_MS = 30_000;

const contextSchema = z.object({ browserContextId: z.string() });
const contextsSchema = z.object({ browserContextIds: z.array(z.string()) });

let service: SharedService;
let sessionId: string;
let address: string;

beforeAll(async () => {
  service = await SharedService.use();
});
afterAll(() => service.end());
beforeEach(async () => {
  const kernel = service.kernel();
  const session = await kernel.browsers.create();
  sessionId = session.session_id;
  address = session.cdp_ws_url;
  return () => kernel.browsers.deleteByID(session.session_id);
});

describe("frames", () => {
  test("of 16 MiB pass each way, whole", async () => {
    using client = await DevToolsClient.connect(address);
    const page = await client.attach();
    const down = await client.evaluate(`"0123456789abcdef".repeat(${MIB})`, page);
    expect(down === "0123456789abcdef".repeat(MIB)).toBe(true);
    const up = "fedcba9876543210".repeat(MIB);
    expect(await client.evaluate(`text = "${up}"; text.length + text.slice(-16)`, page)).toBe(
      `${16 * MIB}fedcba9876543210`,
    );
  });

  test("keep their order among many commands that are under way at once", async () => {
    using client = await DevToolsClient.connect(address);
    const page = await client.attach();
    await client.evaluate("seen = []", page);
    const numbers = Array.from({ length: 500 }, (_, index) => index);
    const answers = await Promise.all(numbers.map((n) => client.evaluate(`seen.push(${n}), ${n}`, page)));
    expect(answers).toEqual(numbers);
    expect(await client.evaluate("seen", page)).toEqual(numbers);
  });
});

describe("a page", () => {
  test("sees a window that is at least as large as itself from the first reading on", async () => {
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

describe("commands that are not a client's to send", () => {
  const refused = [
    "Browser.crash",
    "Browser.crashGpuProcess",
    "Cloudflare.getSessionId",
    "Cloudflare.anythingElse",
  ];
  for (const method of refused) {
    test(`${method} is answered with a protocol error`, async () => {
      using client = await DevToolsClient.connect(address);
      await expect(client.send(method)).rejects.toThrow(ProtocolError);
      expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);
    });
  }

  test("Browser.close is answered, and ends this client's connection only", async () => {
    using other = await DevToolsClient.connect(address);
    const page = await other.attach();
    using client = await DevToolsClient.connect(address);
    expect(await client.send("Browser.close")).toEqual({});
    expect(await client.closed).toMatchObject({ code: 1000 });
    expect(await other.evaluate("1 + 1", page)).toBe(2);
  });

  test("are found when they are spelt with escapes or wrapped in another command", async () => {
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

describe("a client that vanishes", () => {
  /** A client whose TCP socket the test holds. */
  async function clientOnSocket(): Promise<{ client: DevToolsClient; socket: Socket }> {
    const { hostname, port } = new URL(address);
    const socket = connect({ host: hostname, port: Number(port) });
    const client = await DevToolsClient.connect(address, { createConnection: () => socket });
    return { client, socket };
  }

  const cuts: [string, (cut: { client: DevToolsClient; socket: Socket }) => void][] = [
    ["ends its TCP connection without a close frame", ({ client }) => client.socket.terminate()],
    ["resets its TCP connection", ({ socket }) => socket.resetAndDestroy()],
    [
      "is cut in the middle of a frame",
      ({ client, socket }) => {
        client.socket.send(
          `{"id":2,"method":"Runtime.evaluate","params":{"expression":"${"1".repeat(MIB)}"}}`,
        );
        socket.resetAndDestroy();
      },
    ],
  ];
  for (const [how, cut] of cuts) {
    test(`and ${how} is noticed: its connection to the browser ends`, async () => {
      using witness = await DevToolsClient.connect(address);
      const vanishing = await clientOnSocket();
      const created = await vanishing.client.send("Target.createBrowserContext", { disposeOnDetach: true });
      // The browser disposes this context when, and only when, the connection that made it has ended.
      const { browserContextId } = contextSchema.parse(created);
      expect(await contexts(witness)).toContain(browserContextId);

      const since = service.log.mark();
      cut(vanishing);
      const noticed = { event: "client_disconnected", session_id: sessionId };
      const event = await service.log.untilEvent(noticed, { since, withinMs: NOTICED_WITHIN_MS });
      expect(event).toMatchObject({ by: "client", organization_id: expect.any(String) });
      await expect
        .poll(() => contexts(witness), { timeout: NOTICED_WITHIN_MS })
        .not.toContain(browserContextId);
      expect(service.log.events(noticed, since)).toHaveLength(1);
    });
  }

  async function contexts(client: DevToolsClient): Promise<string[]> {
    return contextsSchema.parse(await client.send("Target.getBrowserContexts")).browserContextIds;
  }
});

test("start_url is opened in the session's first tab", async () => {
  await using site = await openSite();
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create({ start_url: `${site.origin}/popup` });
  using client = await DevToolsClient.connect(cdp_ws_url);
  const urls = async () => (await client.pages()).map(({ url }) => url);
  await expect.poll(urls, { timeout: 30_000 }).toEqual([`${site.origin}/popup`]);
  await kernel.browsers.deleteByID(session_id);
});
