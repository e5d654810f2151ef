import { describe, expect, it } from "vitest";
import { toFormQuery, withScheme } from "../../../web/console/views/sessions/form-query.ts";

const SESSION = {
  viewport: { width: 1440, height: 900 },
  timeout_seconds: 60,
  headless: false,
  stealth: false,
  kiosk_mode: false,
  record: false,
  machine: "simulated" as const,
  tags: {},
  telemetry: null,
};

/** A default may have changed since. */
const REQUIRED = { viewport: "1440 × 900", timeout_seconds: "60", machine: "simulated" };

const off = { enabled: false };
const on = { enabled: true };

function fieldsOf(changes: Partial<Parameters<typeof toFormQuery>[0]>) {
  return Object.fromEntries(new URLSearchParams(toFormQuery({ ...SESSION, ...changes })));
}

describe("toFormQuery", () => {
  it("leaves out what a session does not have", () => {
    expect(fieldsOf({})).toEqual(REQUIRED);
  });

  it.each([
    [
      { stealth: true, record: true },
      { stealth: "on", record: "on" },
    ],
    [{ start_url: "https://example.com/?a=1&b=2" }, { start_url: "https://example.com/?a=1&b=2" }],
    [{ tags: { team: "a&b", run: "1" } }, { tags: "team=a&b\nrun=1" }],
    [
      { region: "weur" as const, proxy_id: "p1" },
      { region: "weur", proxy_id: "p1" },
    ],
    [{ machine: "linux" as const }, { machine: "linux" }],
    [{ telemetry: { browser: { console: on, network: off } } }, { telemetry: "Everything" }],
    [
      { telemetry: { browser: { console: off, control: on } } },
      { telemetry: "All API calls, connections, crashes and ends" },
    ],
    [{ telemetry: { browser: {} } }, {}],
  ])("has the options %o", (session, expected) => {
    expect(fieldsOf(session)).toEqual({ ...REQUIRED, ...expected });
  });
});

describe("withScheme", () => {
  it.each([
    ["example.com", "https://example.com"],
    [" example.com/a?b=c:d ", "https://example.com/a?b=c:d"],
    ["localhost:8080", "https://localhost:8080"],
    ["http://example.com", "http://example.com"],
    ["about:blank", "about:blank"],
    ["data:text/html,hi", "data:text/html,hi"],
    ["", ""],
  ])("makes %j %j", (text, expected) => {
    expect(withScheme(text)).toBe(expected);
  });
});
