import { describe, expect, it } from "vitest";
import {
  badRequest,
  conflict,
  type ErrorCode,
  notFound,
  ServiceError,
  serviceUnavailable,
  unauthorized,
} from "../../../src/lib/common/errors.ts";
import { settle, unwrap } from "../../../src/lib/common/outcome.ts";
import { toErrorResponse } from "../../../src/lib/http/wire-error.ts";

describe("toErrorResponse", () => {
  const statuses: [ErrorCode, number][] = [
    ["bad_request", 400],
    ["cannot_delete_current_key", 400],
    ["command_not_executable", 400],
    ["command_not_found", 400],
    ["no_such_directory", 400],
    ["unauthorized", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["project_not_found", 404],
    ["method_not_allowed", 405],
    ["conflict", 409],
    ["gone", 410],
    ["payload_too_large", 413],
    ["upgrade_required", 426],
    ["too_many_requests", 429],
    ["internal_error", 500],
    ["not_implemented", 501],
    ["service_unavailable", 503],
  ];

  it.each(statuses)("maps %s to %d with the code in a JSON body", async (code, status) => {
    const response = toErrorResponse(new ServiceError(code, "a message"));
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toMatchObject({ code, message: "a message" });
  });

  it("lists every problem of a bad request and repeats the first as inner error", async () => {
    const error = badRequest({ field: "a", message: "is bad" }, { field: "", message: "is worse" });
    const first = { code: "invalid_input", message: "a: is bad" };
    expect(await toErrorResponse(error).json()).toEqual({
      code: "bad_request",
      message: "a: is bad; is worse",
      details: [first, { code: "invalid_input", message: "is worse" }],
      inner_error: first,
    });
  });

  it("adds a detail to a bad request without problems", async () => {
    const only = { code: "invalid_input", message: "no" };
    expect(await toErrorResponse(new ServiceError("bad_request", "no")).json()).toEqual({
      code: "bad_request",
      message: "no",
      details: [only],
      inner_error: only,
    });
  });

  it("gives other errors one detail and hides the cause", async () => {
    const error = serviceUnavailable("try later", 1, new Error("a secret of the inside"));
    const only = { code: "service_unavailable", message: "try later" };
    expect(await toErrorResponse(error).json()).toEqual({ ...only, details: [only], inner_error: only });
  });

  it("sends WWW-Authenticate only with 401", () => {
    expect(toErrorResponse(unauthorized("who?")).headers.get("www-authenticate")).toMatch(/^Bearer\b/);
    expect(toErrorResponse(notFound("x")).headers.has("www-authenticate")).toBe(false);
  });

  it("sends X-Should-Retry only when specified", () => {
    expect(toErrorResponse(conflict("taken")).headers.get("x-should-retry")).toBe("false");
    const yes = new ServiceError("internal_error", "x", { shouldRetry: true });
    expect(toErrorResponse(yes).headers.get("x-should-retry")).toBe("true");
    expect(toErrorResponse(notFound("x")).headers.has("x-should-retry")).toBe(false);
  });

  it.each([
    [1, "1"],
    [0, "1"],
    [0.2, "1"],
    [4.2, "5"],
    [60, "60"],
  ])("sends %d seconds as Retry-After: %s", (seconds, header) => {
    expect(toErrorResponse(serviceUnavailable("x", seconds)).headers.get("retry-after")).toBe(header);
    expect(toErrorResponse(notFound("x")).headers.has("retry-after")).toBe(false);
  });
});

describe("settle and unwrap", () => {
  it("carry a ServiceError as plain data and rethrow it", async () => {
    const refusal = new ServiceError("too_many_requests", "full", {
      shouldRetry: false,
      retryAfterSeconds: 3,
      problems: [{ field: "f", message: "m" }],
      cause: new Error("hidden"),
    });
    const outcome = await settle(() => Promise.reject(refusal));
    const copy = structuredClone(outcome);
    expect(() => unwrap(copy)).toThrow(ServiceError);
    expect(() => unwrap(copy)).toThrow(expect.objectContaining(refusal.toRecord()));
    expect(JSON.stringify(copy)).not.toContain("hidden");
  });

  it("carry a value", async () => {
    expect(unwrap(await settle(() => 5))).toBe(5);
  });

  it("let other errors through", async () => {
    await expect(settle(() => Promise.reject(new TypeError("a bug")))).rejects.toThrow("a bug");
  });
});
