import { NotFoundError } from "@onkernel/sdk";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findBrowserPid } from "./browser-process.ts";
import { DevToolsClient } from "./devtools-client.ts";
import { SharedService } from "./shared-service.ts";
import { openSite } from "./site.ts";

const NOTICED_WITHIN_MS = 30_000;

let service: SharedService;

beforeAll(async () => {
  service = await SharedService.use();
});
afterAll(() => service.end());

test("a browser that is killed ends its session as browser_lost, and no other", async () => {
  const kernel = service.kernel();
  const [doomed, neighbour] = await Promise.all([
    kernel.browsers.create({ name: "doomed" }),
    kernel.browsers.create(),
  ]);
  using first = await DevToolsClient.connect(doomed.cdp_ws_url);
  using second = await DevToolsClient.connect(doomed.cdp_ws_url);
  using bystander = await DevToolsClient.connect(neighbour.cdp_ws_url);

  process.kill(await findBrowserPid(doomed), "SIGKILL");
  const ended = await service.log.untilEvent(
    { event: "session_ended", session_id: doomed.session_id },
    { withinMs: NOTICED_WITHIN_MS },
  );
  expect(ended).toMatchObject({ reason: "browser_lost" });
  await Promise.all([first.closed, second.closed]);

  const findEnded = () => kernel.browsers.retrieve(doomed.session_id, { include_deleted: true });
  await expect.poll(findEnded).toMatchObject({
    end_reason: "browser_lost",
    deleted_at: expect.any(String),
  });
  await expect(kernel.browsers.retrieve(doomed.session_id)).rejects.toThrow(NotFoundError);
  const active = await Array.fromAsync(kernel.browsers.list());
  expect(active.map(({ session_id }) => session_id)).toEqual([neighbour.session_id]);
  const heir = await kernel.browsers.create({ name: "doomed" });

  expect(await bystander.evaluate("1 + 1", await bystander.attach())).toBe(2);
  await kernel.browsers.deleteByID(heir.session_id);
  await kernel.browsers.deleteByID(neighbour.session_id);
});

test("a session that nobody is connected to also ends when its browser is killed", async () => {
  const session = await service.kernel().browsers.create();
  process.kill(await findBrowserPid(session), "SIGKILL");
  const ended = await service.log.untilEvent(
    { event: "session_ended", session_id: session.session_id },
    { withinMs: NOTICED_WITHIN_MS },
  );
  expect(ended).toMatchObject({ reason: "browser_lost" });
});

test("a renderer that crashes leaves its session usable", async () => {
  await using site = await openSite();
  const kernel = service.kernel();
  const { session_id, cdp_ws_url } = await kernel.browsers.create();
  using witness = await DevToolsClient.connect(cdp_ws_url);
  const browser = await chromium.connectOverCDP(cdp_ws_url);
  const page = browser.contexts()[0]?.pages()[0];
  await page?.goto(site.origin);
  const crashed = new Promise((resolve) => page?.once("crash", resolve));
  // The one command that never gets an answer: the renderer that would give it is gone.
  witness.send("Page.crash", {}, await witness.attach()).catch(() => {});
  await crashed;

  const other = await browser.contexts()[0]?.newPage();
  await other?.goto(site.origin);
  expect(await other?.title()).toBe("Home");
  await browser.close();

  // What crashed is there for the next client, who loads it anew.
  const [crashedPage] = await witness.pages();
  using next = await DevToolsClient.connect(cdp_ws_url);
  const tab = await next.attach((await next.pages()).find(({ url }) => url === crashedPage?.url)?.targetId);
  await next.send("Page.navigate", { url: `${site.origin}/popup` }, tab);
  await expect.poll(() => next.evaluate("document.title", tab)).toBe("Popup");
  expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });
  await kernel.browsers.deleteByID(session_id);
});
