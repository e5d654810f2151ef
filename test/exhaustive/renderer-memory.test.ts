import { expect, test } from "vitest";
import { DevToolsClient } from "../conformance/devtools-client.ts";
import { useService } from "../conformance/use-service.ts";

/** V8 ends a renderer at 2 to 4 GiB of objects. */
const EXHAUST = `{
  const kept = [];
  const grow = () => {
    for (let count = 0; count < 8; count += 1) kept.push(new Array(1e6).fill(0).map(() => Math.random()));
    setTimeout(grow);
  };
  setTimeout(grow);
}`;

const CRASH_TIMEOUT_MS = 180_000;

const service = await useService();

test("a renderer out of memory is told, and its session and tab stay usable", async () => {
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create({ timeout_seconds: 600 });
  using client = await DevToolsClient.connect(cdp_ws_url);
  const tab = await client.attach();
  await client.evaluate(EXHAUST, tab);
  const events = () => Array.fromAsync(kernel.browsers.telemetry.events(session_id));
  const crashes = async () =>
    (await events()).filter(({ event }) => String(event.type) === "page_crashed").length;
  await expect.poll(crashes, { timeout: CRASH_TIMEOUT_MS, interval: 1000 }).toBe(1);
  expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });
  using next = await DevToolsClient.connect(cdp_ws_url);
  const reloaded = await next.attach((await next.pages())[0]?.targetId);
  await next.send("Page.navigate", { url: "data:text/html,<title>again</title>" }, reloaded);
  await expect.poll(() => next.evaluate("document.title", reloaded)).toBe("again");
  await kernel.browsers.deleteByID(session_id);
});
