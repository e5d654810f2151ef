import { setTimeout } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { RemotePage } from "../conformance/live-view-remote.ts";
import { hasFFmpeg, probeVideo } from "../conformance/recording-clock.ts";
import { useService } from "../conformance/use-service.ts";
import { keepForFile } from "../outside/keep-for-file.ts";
import { serveHTTP } from "../outside/local-server.ts";

const FLOOD_SECONDS = 10;
/** The page itself is also busy. */
const MAX_ANSWER_MS = 5000;
const MAX_RECORDED_PER_SECOND = 200;
const LARGE_BYTES = 30 * 1024 * 1024;

const RECORDED_SESSIONS = 40;
const RECORDED_SECONDS = 120;
const CONCURRENT_STARTS = 4;

const CATEGORIES = ["console", "network", "page", "interaction", "screenshot"];

const eventSchema = z.object({
  category: z.string(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()).optional(),
});

const site = keepForFile(
  await serveHTTP(({ url }, response) => {
    response.setHeader("content-type", "text/html");
    response.end(url === "/large" ? "x".repeat(LARGE_BYTES) : "<!doctype html><title>A page</title>");
  }),
);

const service = await useService({ settings: { MAX_CONCURRENT_SESSIONS: "100" } });

describe("a session that records everything", () => {
  const floods: [what: string, category: string, flood: string][] = [
    ["10,000 console lines a second", "console", `console.log("line", counter++)`],
    ["1,000 requests a second", "network", `if (counter++ % 10 === 0) fetch("/?" + counter).catch(() => {})`],
  ];

  test.each(floods)("answers during %s, and counts what it drops", async (_what, category, flood) => {
    await using observed = await openObserved();
    const { id, page } = observed;
    await page.evaluate(`{
      let counter = 0;
      window.flood = setInterval(() => { for (let i = 0; i < 100; i++) { ${flood} } }, 10);
    }`);
    const answers = await timeAnswers(page, FLOOD_SECONDS * 1000);
    await page.evaluate("clearInterval(flood)");
    expect(Math.max(...answers)).toBeLessThan(MAX_ANSWER_MS);
    const events = await readEvents(id);
    const dropped = events.filter(
      ({ type, data }) => type === "monitor_events_dropped" && data?.what === category,
    );
    const count = dropped.reduce((sum, { data }) => sum + Number(data?.count), 0);
    expect(count).toBeGreaterThan(1000);
    const recorded = events.filter((event) => event.category === category);
    expect(recorded.length).toBeLessThanOrEqual((FLOOD_SECONDS + 5) * MAX_RECORDED_PER_SECOND);
    expect(recorded.length).toBeGreaterThan(MAX_RECORDED_PER_SECOND);
  });

  test("takes a response of 30 MiB", async () => {
    await using observed = await openObserved();
    const { id, page } = observed;
    const length = page.evaluate(
      `fetch("/large").then((response) => response.text()).then((text) => text.length)`,
    );
    expect(await length).toBe(LARGE_BYTES);
    const isLarge = ({ data }: Event) => typeof data?.url === "string" && data.url.endsWith("/large");
    const findResponse = async () =>
      (await readEvents(id)).find((event) => event.type === "network_response" && isLarge(event));
    await expect.poll(findResponse).toMatchObject({ data: { status: 200 } });
    expect((await findResponse())?.data).not.toHaveProperty("body");
  });

  async function openObserved() {
    const kernel = service.kernel();
    const session = await kernel.browsers.create({
      timeout_seconds: 600,
      telemetry: {
        enabled: true,
        browser: Object.fromEntries(CATEGORIES.map((name) => [name, { enabled: true, bodies: true }])),
      },
    });
    // Playwright would also receive each line.
    const page = await RemotePage.attach(session.cdp_ws_url);
    await page.goTo(site.origin);
    return {
      id: session.session_id,
      page,
      async [Symbol.asyncDispose]() {
        page[Symbol.dispose]();
        await kernel.browsers.deleteByID(session.session_id);
      },
    };
  }
});

test(`${RECORDED_SESSIONS} sessions record at once for ${RECORDED_SECONDS} seconds`, {
  timeout: 15 * 60_000,
}, async () => {
  const kernel = service.kernel();
  const started: { id: string; browser: Browser; startedAt: number }[] = [];
  let next = 0;
  const startSessions = async () => {
    while (next++ < RECORDED_SESSIONS) {
      const session = await kernel.browsers.create({
        timeout_seconds: 900,
        viewport: { width: 1024, height: 768 },
      });
      const browser = await chromium.connectOverCDP(session.cdp_ws_url);
      await (await firstPage(browser)).evaluate(`document.body.textContent = new Date()`);
      await kernel.browsers.replays.start(session.session_id, { framerate: 5 });
      started.push({ id: session.session_id, browser, startedAt: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_STARTS }, startSessions));
  const tick = async () => {
    for (const { browser } of started) {
      await (await firstPage(browser)).evaluate(`document.body.textContent = new Date()`);
    }
  };
  const endsAt = performance.now() + RECORDED_SECONDS * 1000;
  while (performance.now() < endsAt) await Promise.all([tick(), setTimeout(1000)]);
  for (const { id, browser, startedAt } of started) {
    const seconds = (performance.now() - startedAt) / 1000;
    await browser.close();
    await kernel.browsers.deleteByID(id);
    const finished = async () => (await kernel.browsers.replays.list(id))[0];
    await expect.poll(finished).toMatchObject({ finished_at: expect.any(String), note: null });
    const recording = await finished();
    const length =
      (Date.parse(recording?.finished_at ?? "") - Date.parse(recording?.started_at ?? "")) / 1000;
    expect(Math.abs(length / seconds - 1)).toBeLessThan(0.05);
    const response = await kernel.browsers.replays.download(recording?.replay_id ?? "", { id });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (hasFFmpeg) expect(probeVideo(bytes).duration).toBeCloseTo(length, 1);
  }
  await expect.poll(() => service.browsers()).toEqual([]);
  expect(service.log.events({ level: "error" })).toEqual([]);
});

type Event = z.infer<typeof eventSchema>;

async function readEvents(id: string): Promise<Event[]> {
  const events: Event[] = [];
  for await (const { event } of service.kernel().browsers.telemetry.events(id, { limit: 100 })) {
    events.push(eventSchema.parse(event));
  }
  return events;
}

/** @returns the milliseconds of each round trip to a page. */
async function timeAnswers(page: RemotePage, durationMs: number): Promise<number[]> {
  const endsAt = performance.now() + durationMs;
  const answers: number[] = [];
  while (performance.now() < endsAt) {
    const askedAt = performance.now();
    await page.evaluate("1");
    answers.push(performance.now() - askedAt);
    await setTimeout(100);
  }
  return answers;
}

async function firstPage(browser: Browser): Promise<Page> {
  const [context] = browser.contexts();
  const page = context?.pages()[0] ?? (await context?.newPage());
  if (page === undefined) throw new Error("The browser has no page");
  return page;
}
