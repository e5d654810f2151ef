import { env } from "cloudflare:workers";
import { afterAll, expect, it } from "vitest";
import { newClient, openSocket, upgrade } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { Listener } from "../sockets.ts";

const browsers = useFakeBrowsers();
const { MAX_DEVTOOLS_CONNECTIONS } = env;

afterAll(() => {
  env.MAX_DEVTOOLS_CONNECTIONS = MAX_DEVTOOLS_CONNECTIONS;
});

it("lets so many clients connect to a session, also at once, and another one once one has left", async () => {
  env.MAX_DEVTOOLS_CONNECTIONS = "2";
  const client = await newClient();
  const { session_id: id, cdp_ws_url: url } = await client.createSession();
  const gate = Promise.withResolvers<void>();
  browsers.socketGate = gate.promise;
  let refusals = 0;
  const asked = Array.from({ length: 4 }, async () => {
    const answer = await upgrade(url);
    if (answer.status === 429) refusals += 1;
    return answer;
  });
  // Both connections are still being opened.
  await expect.poll(() => refusals).toBe(2);
  gate.resolve();
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status).sort()).toEqual([101, 101, 429, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(await refused?.text()).toContain("MAX_DEVTOOLS_CONNECTIONS");
  const [first] = answers.flatMap(({ webSocket }) => webSocket ?? []);
  if (first === undefined) throw new Error("nobody was let in");
  first.accept();
  const left = new Listener(first);
  first.close(1000);
  await left.closed;
  await expect.poll(async () => (await upgrade(url)).status).toBe(101);
  (await openSocket((await client.createSession()).cdp_ws_url)).close(1000);
  await client.delete(`/browsers/${id}`);
});
