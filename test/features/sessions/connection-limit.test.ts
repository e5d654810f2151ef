import { env } from "cloudflare:workers";
import { afterAll, expect, it } from "vitest";
import { newClient, openSocket, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { Listener } from "../../sockets.ts";

const browsers = useFakeBrowsers();
const { MAX_DEVTOOLS_CONNECTIONS } = env;

afterAll(() => {
  env.MAX_DEVTOOLS_CONNECTIONS = MAX_DEVTOOLS_CONNECTIONS;
});

it("limits concurrent clients of a session until one disconnects", async () => {
  env.MAX_DEVTOOLS_CONNECTIONS = "2";
  const client = await newClient();
  const { session_id: id, cdp_ws_url: url } = await client.createSession();
  const gate = Promise.withResolvers<void>();
  browsers.socketGate = gate.promise;
  let refusals = 0;
  const attempts = Array.from({ length: 4 }, async () => {
    const response = await upgrade(url);
    if (response.status === 429) refusals += 1;
    return response;
  });
  // The other two are still connecting.
  await expect.poll(() => refusals).toBe(2);
  gate.resolve();
  const responses = await Promise.all(attempts);
  expect(responses.map(({ status }) => status).sort()).toEqual([101, 101, 429, 429]);
  const refused = responses.find(({ status }) => status === 429);
  expect(await refused?.text()).toContain("MAX_DEVTOOLS_CONNECTIONS");
  const [first] = responses.flatMap(({ webSocket }) => webSocket ?? []);
  if (first === undefined) throw new Error("no client was connected");
  first.accept();
  const listener = new Listener(first);
  first.close(1000);
  await listener.closed;
  await expect.poll(async () => (await upgrade(url)).status).toBe(101);
  (await openSocket((await client.createSession()).cdp_ws_url)).close(1000);
  await client.delete(`/browsers/${id}`);
});
