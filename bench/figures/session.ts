import Kernel from "@onkernel/sdk";
import { chromium } from "playwright-core";
import { z } from "zod";
import { table } from "../../scripts/docs/api-pages.ts";
import { Service } from "../../test/conformance/service.ts";
import { launchChrome } from "../bare-chrome.ts";
import { Samples, time } from "../samples.ts";

const ROUNDS = 10;
const ROUND_TRIPS = 200;
const PAGE = "data:text/html,<title>A page</title>";

const STEPS = [
  "create",
  "connect",
  "page, goto, title",
  "end",
  "whole session",
  "DevTools round trip",
] as const;

type Step = (typeof STEPS)[number];

/** Who provides browsers: Chrome directly, Berth, and peers. */
interface Provider {
  name: string;
  create(): Promise<{ url: string; end: () => Promise<unknown> }>;
}

/**
 * Whole sessions of Berth, of Chrome without it, and of peers, in turn.
 *
 * @param chrome path of Chrome.
 * @param peers `name=URL` separated by spaces: a WebSocket URL is connected to, any other has Kernel's API with
 * the key of `PEER_API_KEY`.
 * @returns a Markdown table with medians in milliseconds.
 */
export async function measureWholeSessions(chrome: string, peers = ""): Promise<string> {
  await using cleanUp = new AsyncDisposableStack();
  const started = await Service.start({ settings: { STANDBY_BROWSERS: "auto" } });
  const service = cleanUp.adopt(started, () => started.end());
  await service.log.waitForEvent({ event: "standby_browser_launched" }, { since: 0, withinMs: 60_000 });
  const providers = [
    { name: "Chrome directly", create: () => launchDirectly(chrome) },
    { name: "Berth", create: () => createSession(service.kernel()) },
    ...peers.split(" ").filter(Boolean).map(peerOf),
  ];
  const times = providers.map(() => new Map<Step, number[]>(STEPS.map((step) => [step, []])));
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, provider] of providers.entries()) {
      const measured = await runSession(provider);
      if (round >= 0) for (const [step, taken] of measured) times[index]?.get(step)?.push(taken);
    }
  }
  const rows = STEPS.map((step) => [step, ...times.map((of) => medianOf(of.get(step) ?? []))]);
  return table(["p50 in ms", ...providers.map(({ name }) => name)], rows);
}

async function runSession({ create }: Provider): Promise<Map<Step, number>> {
  const times = new Map<Step, number>();
  const measure = async <T>(step: Step, work: () => Promise<T>): Promise<T> => {
    const outcome = Promise.withResolvers<T>();
    times.set(step, await time(() => work().then(outcome.resolve)));
    return outcome.promise;
  };
  const session = await measure("create", create);
  const browser = await measure("connect", () => chromium.connectOverCDP(session.url));
  const page = await measure("page, goto, title", async () => {
    const opened = await (browser.contexts()[0] ?? (await browser.newContext())).newPage();
    await opened.goto(PAGE);
    await opened.title();
    return opened;
  });
  const devtools = await page.context().newCDPSession(page);
  const trips: number[] = [];
  for (let trip = 0; trip < ROUND_TRIPS; trip += 1)
    trips.push(await time(() => devtools.send("Page.enable")));
  await measure("end", session.end);
  await browser.close();
  times.set(
    "whole session",
    [...times.values()].reduce((sum, taken) => sum + taken, 0),
  );
  return times.set("DevTools round trip", new Samples(trips).p50);
}

async function launchDirectly(chrome: string) {
  const browser = await launchChrome(chrome);
  return { url: browser.wsEndpoint(), end: () => browser.close() };
}

async function createSession(kernel: Kernel) {
  const { session_id, cdp_ws_url } = await kernel.browsers.create();
  return { url: cdp_ws_url, end: () => kernel.browsers.deleteByID(session_id) };
}

function peerOf(peer: string): Provider {
  const [name, url] = z.tuple([z.string().min(1), z.url()]).parse(peer.split(/=(.*)/, 2));
  if (/^wss?:/.test(url)) return { name, create: async () => ({ url, end: async () => undefined }) };
  const kernel = new Kernel({ baseURL: url, apiKey: process.env.PEER_API_KEY ?? "" });
  return { name, create: () => createSession(kernel) };
}

function medianOf(times: readonly number[]): string {
  const { p50 } = new Samples(times);
  return p50.toFixed(p50 < 10 ? 2 : 0);
}
