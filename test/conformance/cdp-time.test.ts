import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, type ExpectStatic, test } from "vitest";
import { ConnectionClosed, DevToolsClient, ProtocolError } from "./devtools-client.ts";
import { SharedService } from "./shared-service.ts";

const MIB = 2 ** 20;

/** Larger than any frame that the platform carries. */
const TOO_LARGE = 40 * MIB;

/** The silence watch wants ten quiet seconds twice; the rest is for making the answer. */
const SILENCE_ENDS_WITHIN_MS = 60_000;

let service: SharedService;

beforeAll(async () => {
  service = await SharedService.use();
});
afterAll(() => service.end());

async function createSession(body: { timeout_seconds: number }) {
  return service.kernel().browsers.create(body);
}

// Each of these waits for a clock, so they wait together.
describe.concurrent("time", () => {
  describe("a frame over the platform's limit ends in an error or a close, never in silence", () => {
    test("when the browser sends it", async ({ expect }) => {
      const { cdp_ws_url } = await createSession({ timeout_seconds: 600 });
      using client = await DevToolsClient.connect(cdp_ws_url);
      const page = await client.attach();
      const startedAt = performance.now();
      const answer = client.evaluate(`"x".repeat(${TOO_LARGE})`, page);
      const outcome = await answer.catch((error) => error);
      expect([ProtocolError, ConnectionClosed].some((kind) => outcome instanceof kind)).toBe(true);
      if (outcome instanceof ConnectionClosed) {
        expect(await client.closed).toMatchObject({ code: 1009, reason: expect.stringContaining("MiB") });
      }
      expect(performance.now() - startedAt).toBeLessThan(SILENCE_ENDS_WITHIN_MS);
      await expectToBeDriven(expect, cdp_ws_url);
    });

    test("when the client sends it", async ({ expect }) => {
      const { cdp_ws_url } = await createSession({ timeout_seconds: 600 });
      using client = await DevToolsClient.connect(cdp_ws_url);
      const page = await client.attach();
      const startedAt = performance.now();
      const outcome = await client
        .evaluate(`"${"x".repeat(TOO_LARGE)}".length`, page)
        .catch((error) => error);
      expect([ProtocolError, ConnectionClosed].some((kind) => outcome instanceof kind)).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(SILENCE_ENDS_WITHIN_MS);
      await expectToBeDriven(expect, cdp_ws_url);
    });

    test("and a slow answer is waited for", async ({ expect }) => {
      const { cdp_ws_url } = await createSession({ timeout_seconds: 600 });
      using client = await DevToolsClient.connect(cdp_ws_url);
      const page = await client.attach();
      const expression = `new Promise((resolve) => setTimeout(() => resolve("late"), 25_000))`;
      const late = await client.send(
        "Runtime.evaluate",
        { expression, awaitPromise: true, returnByValue: true },
        page,
      );
      expect(late).toMatchObject({ result: { value: "late" } });
    });
  });

  describe("inactivity", () => {
    const TIMEOUT_MS = 10_000;
    const TOLERANCE_MS = 5_000;
    const ENDS_WITHIN_MS = 40_000;

    test("ends a session its time after the last connection closed, not while one is open", async ({
      expect,
    }) => {
      const { session_id, cdp_ws_url } = await createSession({ timeout_seconds: TIMEOUT_MS / 1000 });
      const client = await DevToolsClient.connect(cdp_ws_url);
      // Longer than the time-out and its tolerance: that nothing happens has no event.
      await setTimeout(TIMEOUT_MS + TOLERANCE_MS + 1_000);
      expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);

      client.socket.close();
      await client.closed;
      await expectToEndAfter(expect, { sessionId: session_id, idleSince: performance.now() });
    });

    async function expectToEndAfter(
      expect: ExpectStatic,
      { sessionId, idleSince }: { sessionId: string; idleSince: number },
    ) {
      const ended = { event: "session_ended", session_id: sessionId };
      const event = await service.log.untilEvent(ended, { withinMs: ENDS_WITHIN_MS });
      expect(performance.now() - idleSince).toBeGreaterThan(TIMEOUT_MS - TOLERANCE_MS);
      expect(event).toMatchObject({ reason: "inactivity" });
      const kernel = service.kernel();
      const findEnded = () => kernel.browsers.retrieve(sessionId, { include_deleted: true });
      await expect
        .poll(findEnded)
        .toMatchObject({ end_reason: "inactivity", deleted_at: expect.any(String) });
    }
  });
});

async function expectToBeDriven(expect: ExpectStatic, address: string): Promise<void> {
  using client = await DevToolsClient.connect(address);
  expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);
}
