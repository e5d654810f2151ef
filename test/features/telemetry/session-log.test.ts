import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { changeConfig, DEFAULT_CONFIG } from "../../../src/features/telemetry/config.ts";
import type { LogLine } from "../../../src/features/telemetry/log-lines.ts";
import { SessionTelemetry } from "../../../src/features/telemetry/session-telemetry.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import type { EventReader } from "../../../src/lib/http/event-log.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { objectOf } from "../../objects.ts";

useFakeBrowsers();

const NEW_LINES = { process: "chromium", follows: true };
const KEPT_LINES = { process: "chromium", follows: false };

const session = { id: "s", organizationId: "o", invocationId: null, phase: "active" };

function withTelemetry(
  telemetry: typeof DEFAULT_CONFIG,
  work: (telemetry: SessionTelemetry) => Promise<void>,
): Promise<void> {
  return runInDurableObject(objectOf(newIdentifier()), (_, state) =>
    work(new SessionTelemetry(env, state, () => ({ ...session, telemetry }))),
  );
}

function log(telemetry: SessionTelemetry, level: "log" | "error", text: string): void {
  const source = { kind: "cdp" as const };
  const type = level === "error" ? "console_error" : "console_log";
  telemetry.record({ category: "console", type, source, data: { level, text } });
}

async function readAll(reader: EventReader<LogLine>): Promise<string[]> {
  const messages: string[] = [];
  for (let line = await reader.next(); line !== undefined; line = await reader.next())
    messages.push(line.message);
  return messages;
}

describe("the log of a session", () => {
  it("drops the oldest lines of a reader that does not read, and says so", async () => {
    await withTelemetry(changeConfig(DEFAULT_CONFIG, { enabled: false }), async (telemetry) => {
      const reader = telemetry.readLog(NEW_LINES);
      for (let line = 0; line < 30; line += 1) log(telemetry, "log", `${line} ${"x".repeat(60_000)}`);
      await telemetry.end();
      const messages = await readAll(reader);
      expect(messages[0]).toBe("[13 lines were dropped]");
      expect(messages.slice(1).map((message) => Number(message.split(" ")[1]))).toEqual(
        Array.from({ length: 17 }, (_, index) => index + 13),
      );
      expect(telemetry.store.lastSeq).toBe(0);
    });
  });

  it("wants the console only while it is read", async () => {
    await withTelemetry(DEFAULT_CONFIG, async (telemetry) => {
      const wanted = () =>
        [
          telemetry.wants("console", "console_log"),
          telemetry.wants("console", "console_error"),
          telemetry.wants("network", "network_request"),
        ].map(Number);
      expect(wanted()).toEqual([0, 1, 0]);
      const reader = telemetry.readLog(NEW_LINES);
      expect(wanted()).toEqual([1, 1, 0]);
      reader.close();
      expect(wanted()).toEqual([0, 1, 0]);
    });
  });

  it("has the recorded lines without follow", async () => {
    await withTelemetry(DEFAULT_CONFIG, async (telemetry) => {
      log(telemetry, "error", "first");
      log(telemetry, "log", "not recorded");
      telemetry.recordDropped("console", 7);
      expect(await readAll(telemetry.readLog(KEPT_LINES))).toEqual([
        "[error] first",
        "[7 console messages were dropped]",
      ]);
    });
  });

  it("ends for a lease, and continues for the next one", async () => {
    await withTelemetry(DEFAULT_CONFIG, async (telemetry) => {
      const first = telemetry.readLog(NEW_LINES);
      log(telemetry, "log", "first");
      const late = telemetry.readLog(NEW_LINES);
      telemetry.endLog();
      log(telemetry, "log", "between");
      const second = telemetry.readLog(NEW_LINES);
      log(telemetry, "log", "second");
      await telemetry.end();
      expect(await readAll(first)).toEqual(["[log] first"]);
      expect(await readAll(late)).toEqual([]);
      expect(await readAll(second)).toEqual(["[log] second"]);
    });
  });
});
