import { setTimeout } from "node:timers/promises";
import { describe, type ExpectStatic, test } from "vitest";
import { ConnectionClosed, DevToolsClient, ProtocolError } from "./devtools-client.ts";
import { SharedService } from "./shared-service.ts";

const MIB = 2 ** 20;

/** Larger than the platform's limit for a frame. */
const OVERSIZED_FRAME_BYTES = 40 * MIB;

/** The silence watch needs ten quiet seconds twice; the rest is for producing the response. */
const SILENCE_TIMEOUT_MS = 60_000;

const service = await SharedService.use();

async function createSession(body: { timeout_seconds: number }) {
  return service.kernel().browsers.create(body);
}

// These tests mostly wait, so they run concurrently.
describe.concurrent("timing", () => {
  describe("responses", () => {
    test("an oversized frame from the browser causes an error or a close", async ({ expect }) => {
      const { cdp_ws_url } = await createSession({ timeout_seconds: 600 });
      using client = await DevToolsClient.connect(cdp_ws_url);
      const page = await client.attach();
      const startedAt = performance.now();
      const evaluated = client.evaluate(`"x".repeat(${OVERSIZED_FRAME_BYTES})`, page);
      const outcome = await evaluated.catch((error) => error);
      expect([ProtocolError, ConnectionClosed].some((kind) => outcome instanceof kind)).toBe(true);
      if (outcome instanceof ProtocolError) expect(outcome.message).toContain("MiB");
      if (outcome instanceof ConnectionClosed) {
        expect(await client.closed).toMatchObject({ code: 1009, reason: expect.stringContaining("MiB") });
      }
      expect(performance.now() - startedAt).toBeLessThan(SILENCE_TIMEOUT_MS);
      await expectUsable(expect, cdp_ws_url);
    });

    test("an oversized frame from the client causes an error or a close", async ({ expect }) => {
      const { cdp_ws_url } = await createSession({ timeout_seconds: 600 });
      using client = await DevToolsClient.connect(cdp_ws_url);
      const page = await client.attach();
      const startedAt = performance.now();
      const outcome = await client
        .evaluate(`"${"x".repeat(OVERSIZED_FRAME_BYTES)}".length`, page)
        .catch((error) => error);
      expect([ProtocolError, ConnectionClosed].some((kind) => outcome instanceof kind)).toBe(true);
      expect(performance.now() - startedAt).toBeLessThan(SILENCE_TIMEOUT_MS);
      await expectUsable(expect, cdp_ws_url);
    });

    test("a slow response arrives", async ({ expect }) => {
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
    const END_TIMEOUT_MS = 40_000;

    test("ends a session timeout_seconds after its last connection closes", async ({ expect }) => {
      const { session_id, cdp_ws_url } = await createSession({ timeout_seconds: TIMEOUT_MS / 1000 });
      const client = await DevToolsClient.connect(cdp_ws_url);
      // No event shows that the session stays open, so this outlasts the timeout.
      await setTimeout(TIMEOUT_MS + TOLERANCE_MS + 1_000);
      expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);

      client.socket.close();
      await client.closed;
      await expectInactivityEnd(expect, { sessionId: session_id, idleSince: performance.now() });
    });

    async function expectInactivityEnd(
      expect: ExpectStatic,
      { sessionId, idleSince }: { sessionId: string; idleSince: number },
    ) {
      const ended = { event: "session_ended", session_id: sessionId };
      const event = await service.log.waitForEvent(ended, { withinMs: END_TIMEOUT_MS });
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

async function expectUsable(expect: ExpectStatic, address: string): Promise<void> {
  using client = await DevToolsClient.connect(address);
  expect(await client.evaluate("1 + 1", await client.attach())).toBe(2);
}
