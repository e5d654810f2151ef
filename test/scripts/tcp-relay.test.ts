import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { TCPRelay } from "../../scripts/local/tcp-relay.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../../scripts/local/temporary-folder.ts";

let runtime: Server;
let relay: TCPRelay;
let folder: string;

afterEach(() => {
  relay.close();
  runtime.close();
  removeTemporaryFolder(folder);
});

async function open(): Promise<{ client: Socket; served: Socket }> {
  runtime = createServer({ allowHalfOpen: true });
  folder = makeTemporaryFolder();
  const path = join(folder, "runtime");
  runtime.listen(path);
  await once(runtime, "listening");
  const connected = once(runtime, "connection");
  relay = await TCPRelay.listen({ host: "127.0.0.1", port: 0 }, path);
  const client = connect({ port: relay.port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => {});
  const [served]: Socket[] = await connected;
  if (served === undefined) throw new Error("no connection to the runtime");
  // Without a listener, an error would be thrown; tests may still wait for one.
  served.on("error", () => {});
  return { client, served };
}

it("relays data in both directions", async () => {
  const { client, served } = await open();
  client.write("question");
  expect(String(await once(served, "data"))).toBe("question");
  served.write("answer");
  expect(String(await once(client, "data"))).toBe("answer");
});

it("closes the runtime's connection when the client closes", async () => {
  const { client, served } = await open();
  client.write("question");
  await once(served, "data");
  client.end();
  // Not just its own side: while sending, the runtime notices nothing else.
  const failed = once(served, "error");
  const sending = setInterval(() => served.write("answer"), 10);
  expect((await failed)[0]).toMatchObject({ code: "EPIPE" });
  clearInterval(sending);
});

it("delivers all data that the runtime sends before closing", async () => {
  const { client, served } = await open();
  const content = Buffer.alloc(4 * 1024 * 1024, "x");
  served.end(content);
  let received = 0;
  for await (const chunk of client) received += (chunk as Buffer).length;
  expect(received).toBe(content.length);
});

it("resets the client's connection while there is no runtime", async () => {
  await open();
  runtime.close();
  rmSync(join(folder, "runtime"), { force: true });
  const client = connect({ port: relay.port, host: "127.0.0.1" });
  expect((await once(client, "error"))[0]).toMatchObject({ code: "ECONNRESET" });
});
