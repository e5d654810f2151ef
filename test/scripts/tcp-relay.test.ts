import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { TCPRelay } from "../../scripts/local/tcp-relay.ts";

let runtime: Server;
let relay: TCPRelay;

afterEach(() => {
  relay.close();
  runtime.close();
});

async function open(): Promise<{ client: Socket; served: Socket }> {
  runtime = createServer({ allowHalfOpen: true });
  runtime.listen(0, "127.0.0.1");
  await once(runtime, "listening");
  const connected = once(runtime, "connection");
  relay = await TCPRelay.listen({ host: "127.0.0.1", port: 0 }, { port: portOf(runtime) });
  const client = connect({ port: relay.port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => {});
  const [served]: Socket[] = await connected;
  if (served === undefined) throw new Error("no connection to the runtime");
  // Without a listener, an error would be thrown; tests may still wait for one.
  served.on("error", () => {});
  return { client, served };
}

function portOf(server: Server): number {
  const address = server.address() as AddressInfo;
  return address.port;
}

it("relays data in both directions", async () => {
  const { client, served } = await open();
  client.write("question");
  expect(String(await once(served, "data"))).toBe("question");
  served.write("answer");
  expect(String(await once(client, "data"))).toBe("answer");
});

it("resets the runtime's connection when the client closes", async () => {
  const { client, served } = await open();
  client.write("question");
  await once(served, "data");
  const failed = once(served, "error");
  client.end();
  expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" });
});

it("delivers all data that the runtime sends before closing", async () => {
  const { client, served } = await open();
  const content = Buffer.alloc(4 * 1024 * 1024, "x");
  served.end(content);
  let received = 0;
  for await (const chunk of client) received += (chunk as Buffer).length;
  expect(received).toBe(content.length);
});

it("resets the client's connection when the runtime resets", async () => {
  const { client, served } = await open();
  const failed = once(client, "error");
  served.resetAndDestroy();
  expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" });
});
