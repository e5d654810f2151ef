import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { resolveWithin } from "../../../src/lib/common/concurrency.ts";
import { AttachedTargets } from "../../../src/platform/browser/connection/attached-targets.ts";
import { acquireBrowser, closeBrowser } from "../../../src/platform/browser/connection/binding.ts";
import {
  attachSession,
  openControlConnection,
} from "../../../src/platform/browser/connection/control-connection.ts";

const SITE = "https://site.test";

it("does not wait for a worker whose script never comes", async () => {
  const id = await acquireBrowser(env.BROWSER, 60_000);
  const connection = await openControlConnection(env.BROWSER, id);
  connection.on("Fetch.requestPaused", ({ requestId, request: { url } }) => {
    if (url.endsWith("/never.js")) return;
    const answer = { requestId, responseCode: 200, body: btoa("<title>Site</title>") };
    connection.send("Fetch.fulfillRequest", answer).catch(() => undefined);
  });
  await connection.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
  const prepare = () => ({ beforeStart: Promise.resolve(), done: Promise.resolve() });
  const targets = new AttachedTargets(connection, prepare);
  await targets.attachBelow(connection, ["shared_worker"]);
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
  const page = await attachSession(connection, targetId);
  await page.send("Page.navigate", { url: SITE });
  const evaluate = async (expression: string) =>
    (await page.send("Runtime.evaluate", { expression })).result.value;
  await expect.poll(() => evaluate("document.readyState + location.origin")).toBe(`complete${SITE}`);
  await evaluate("void new SharedWorker('/never.js')");
  await expect.poll(() => targets.attached(["shared_worker"]).length).toBe(1);
  expect(
    await resolveWithin(
      targets.started().then(() => "started"),
      3000,
    ),
  ).toBe("started");
  connection.dispose();
  await closeBrowser(env.BROWSER, id);
});
