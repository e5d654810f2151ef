import { NotFoundError } from "@onkernel/sdk";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { findBrowserPid } from "./browser-process.ts";
import { DevToolsClient } from "./devtools-client.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

const LOSS_TIMEOUT_MS = 30_000;

const service = await SharedService.use();

test("killing a browser ends only its session, as browser_lost", async () => {
  const kernel = service.kernel();
  const [killed, neighbor] = await Promise.all([
    kernel.browsers.create({ name: "doomed" }),
    kernel.browsers.create(),
  ]);
  using first = await DevToolsClient.connect(killed.cdp_ws_url);
  using second = await DevToolsClient.connect(killed.cdp_ws_url);
  using bystander = await DevToolsClient.connect(neighbor.cdp_ws_url);

  process.kill(await findBrowserPid(killed), "SIGKILL");
  const ended = await service.log.waitForEvent(
    { event: "session_ended", session_id: killed.session_id },
    { withinMs: LOSS_TIMEOUT_MS },
  );
  expect(ended).toMatchObject({ reason: "browser_lost" });
  await Promise.all([first.closed, second.closed]);

  const findEnded = () => kernel.browsers.retrieve(killed.session_id, { include_deleted: true });
  await expect.poll(findEnded).toMatchObject({
    end_reason: "browser_lost",
    deleted_at: expect.any(String),
    end_details: expect.stringContaining("The platform gives the reason ChromiumCrashed."),
  });
  await expect(kernel.browsers.retrieve(killed.session_id)).rejects.toThrow(NotFoundError);
  const active = await Array.fromAsync(kernel.browsers.list());
  expect(active.map(({ session_id }) => session_id)).toEqual([neighbor.session_id]);
  const successor = await kernel.browsers.create({ name: "doomed" });

  expect(await bystander.evaluate("1 + 1", await bystander.attach())).toBe(2);
  await kernel.browsers.deleteByID(successor.session_id);
  await kernel.browsers.deleteByID(neighbor.session_id);
});

test("killing a browser ends a session without clients", async () => {
  const session = await service.kernel().browsers.create();
  process.kill(await findBrowserPid(session), "SIGKILL");
  const ended = await service.log.waitForEvent(
    { event: "session_ended", session_id: session.session_id },
    { withinMs: LOSS_TIMEOUT_MS },
  );
  expect(ended).toMatchObject({ reason: "browser_lost" });
});

test("a crashed renderer leaves its session usable", async () => {
  await using site = await openSite();
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create();
  using witness = await DevToolsClient.connect(cdp_ws_url);
  const browser = await chromium.connectOverCDP(cdp_ws_url);
  const page = browser.contexts()[0]?.pages()[0];
  await page?.goto(site.origin);
  const crashed = new Promise((resolve) => page?.once("crash", resolve));
  // The crashed renderer never responds.
  witness.send("Page.crash", {}, await witness.attach()).catch(() => {});
  await crashed;

  const other = await browser.contexts()[0]?.newPage();
  await other?.goto(site.origin);
  expect(await other?.title()).toBe("Home");
  await browser.close();

  // The next client can reload the crashed page.
  const [crashedPage] = await witness.pages();
  using next = await DevToolsClient.connect(cdp_ws_url);
  const tab = await next.attach((await next.pages()).find(({ url }) => url === crashedPage?.url)?.targetId);
  await next.send("Page.navigate", { url: `${site.origin}/popup` }, tab);
  await expect.poll(() => next.evaluate("document.title", tab)).toBe("Popup");
  expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });
  await kernel.browsers.deleteByID(session_id);
});
