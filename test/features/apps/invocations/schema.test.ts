import { describe, expect, it } from "vitest";
import {
  createInvocationBodySchema,
  invocationSchema,
  presentCreatedInvocation,
  presentInvocation,
  updateInvocationBodySchema,
} from "../../../../src/features/apps/invocations/schema.ts";
import { MAX_VALUE_BYTES } from "../../../../src/features/apps/invocations/value-storage.ts";
import { ServiceError } from "../../../../src/lib/common/errors.ts";
import { invocationRow } from "./invocations.ts";

const NAMES = { app_name: "app", action_name: "action", version: "latest" };

function invalidFields(body: object): string[] {
  const { error } = createInvocationBodySchema.safeParse(body);
  return (error?.issues ?? []).map(({ path }) => path.join("."));
}

describe("the body of POST /invocations", () => {
  it("has defaults and an optional payload", () => {
    const defaults = { ...NAMES, async: false, async_timeout_seconds: 900, profiles: [], proxies: [] };
    expect(createInvocationBodySchema.parse(NAMES)).toEqual(defaults);
    // The Kernel CLI sends an empty string for no payload.
    expect(createInvocationBodySchema.parse({ ...NAMES, payload: "" }).payload).toBeUndefined();
  });

  it.each(["null", "0", '""', '"text"', "[1, 2]", ' {"a": {"b": null}} ', '"\\ud800"'])(
    "keeps the payload %s unchanged",
    (payload) => {
      expect(createInvocationBodySchema.parse({ ...NAMES, payload }).payload).toBe(payload);
    },
  );

  it.each([
    [{}, ["app_name", "action_name", "version"]],
    [{ ...NAMES, app_name: "" }, ["app_name"]],
    [{ ...NAMES, action_name: "x".repeat(256) }, ["action_name"]],
    [{ ...NAMES, version: 1 }, ["version"]],
    [{ ...NAMES, payload: "{" }, ["payload"]],
    [{ ...NAMES, payload: "undefined" }, ["payload"]],
    [{ ...NAMES, payload: " " }, ["payload"]],
    [{ ...NAMES, payload: {} }, ["payload"]],
    [{ ...NAMES, payload: null }, ["payload"]],
    [{ ...NAMES, async: "true" }, ["async"]],
    [{ ...NAMES, async_timeout_seconds: 9 }, ["async_timeout_seconds"]],
    [{ ...NAMES, async_timeout_seconds: 3601 }, ["async_timeout_seconds"]],
    [{ ...NAMES, async_timeout_seconds: 10.5 }, ["async_timeout_seconds"]],
  ])("rejects %j", (body, fields) => {
    expect(invalidFields(body)).toEqual(fields);
  });

  it.each([
    ["ASCII", "x".repeat(MAX_VALUE_BYTES - 2)],
    // Each character has three bytes in UTF-8 but one UTF-16 unit.
    ["non-ASCII", `${"語".repeat((MAX_VALUE_BYTES - 3) / 3)}x`],
  ])("limits %s payloads to 4.5 MiB", (_, text) => {
    const payload = (more: string) => ({ ...NAMES, payload: `"${text}${more}"` });
    expect(new TextEncoder().encode(payload("").payload)).toHaveLength(MAX_VALUE_BYTES);
    expect(createInvocationBodySchema.safeParse(payload("")).success).toBe(true);
    expect(() => createInvocationBodySchema.parse(payload("x"))).toThrow(ServiceError);
    expect(() => createInvocationBodySchema.parse(payload("x"))).toThrow(/^payload: .*4718592/);
  });
});

describe("the body of PATCH /invocations/{id}", () => {
  it.each([
    [{ status: "failed" }, true],
    [{ status: "succeeded", output: "[1]" }, true],
    [{}, false],
    [{ output: "1" }, false],
    [{ status: "queued" }, false],
    [{ status: "running" }, false],
    [{ status: "cancelled" }, false],
    [{ status: "failed", output: "{" }, false],
    [{ status: "failed", output: { a: 1 } }, false],
  ])("%j: %s", (body, valid) => {
    expect(updateInvocationBodySchema.safeParse(body).success).toBe(valid);
  });

  it("rejects an output over 4.5 MiB", () => {
    const output = `"${"x".repeat(MAX_VALUE_BYTES)}"`;
    expect(() => updateInvocationBodySchema.parse({ status: "failed", output })).toThrow(/^output: /);
  });
});

describe("presentInvocation", () => {
  const startedAt = Date.UTC(2026, 0, 2, 15, 4, 5, 6);
  const queued = invocationRow({ organizationId: "organization", id: "id", startedAt });

  it("formats times with nanoseconds and omits absent fields", () => {
    const body = presentInvocation(queued, { payload: null, output: null });
    expect(body).toEqual({
      id: "id",
      app_name: "app",
      version: "latest",
      action_name: "action",
      started_at: "2026-01-02T15:04:05.006000000Z",
      finished_at: null,
      status: "queued",
    });
    expect(invocationSchema.parse(body)).toEqual(body);
  });

  it("includes the end, the reason and the values", () => {
    const finished = {
      ...queued,
      status: "failed" as const,
      statusReason: "why",
      finishedAt: startedAt + 1000,
    };
    const body = presentInvocation(finished, { payload: "{}", output: "null" });
    expect(body).toMatchObject({
      finished_at: "2026-01-02T15:04:06.006000000Z",
      status: "failed",
      status_reason: "why",
      payload: "{}",
      output: "null",
    });
    expect(invocationSchema.parse(body)).toEqual(body);
    expect(presentCreatedInvocation(finished, "null")).toEqual({
      id: "id",
      action_name: "action",
      status: "failed",
      status_reason: "why",
      output: "null",
    });
  });
});
