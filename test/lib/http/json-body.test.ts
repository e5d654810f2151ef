import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { ServiceError } from "../../../src/lib/common/errors.ts";
import { jsonBody, jsonBodyUpTo } from "../../../src/lib/http/json-body.ts";
import { toErrorResponse } from "../../../src/lib/http/wire-error.ts";

const app = new Hono();
app.onError((error) => {
  if (error instanceof ServiceError) return toErrorResponse(error);
  throw error;
});
app.post("/", jsonBody, async (c) => c.json(await c.req.json()));
app.post("/large", jsonBodyUpTo(2 * 1024 * 1024), async (c) => c.json(await c.req.json()));

function post(body: BodyInit | undefined, contentType?: string, path = "/"): Promise<Response> {
  const headers = new Headers(contentType === undefined ? {} : { "content-type": contentType });
  return Promise.resolve(app.request(path, { method: "POST", headers, body }));
}

describe("jsonBody", () => {
  it.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/vnd.v1+json",
  ])("reads a body of type %s", async (contentType) => {
    const response = await post('{"a":"é"}', contentType);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ a: "é" });
  });

  it.each([
    ["no body and no type", undefined, undefined],
    ["no body but a type", undefined, "application/json"],
    ["an empty body", "", "application/json"],
    ["white space", " \n", "text/plain"],
  ])("treats %s as an empty object", async (_, body, contentType) => {
    expect(await (await post(body, contentType)).json()).toEqual({});
  });

  it.each([
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json-patch",
  ])("rejects a body of type %s and names the header", async (contentType) => {
    const response = await post(new TextEncoder().encode('{"a":1}'), contentType);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      inner_error: { message: expect.stringMatching(/^content-type: /) },
    });
  });

  it("accepts a body of at most 1 MiB", async () => {
    const body = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;
    expect((await post(body(1024 * 1024), "application/json")).status).toBe(200);
    expect((await post(body(1024 * 1024 + 1), "application/json")).status).toBe(413);
  });

  it("respects a route's own limit", async () => {
    const body = (bytes: number) => `"${"x".repeat(bytes - 2)}"`;
    expect((await post(body(2 * 1024 * 1024), "application/json", "/large")).status).toBe(200);
    const refused = await post(body(2 * 1024 * 1024 + 1), "application/json", "/large");
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ message: "The body may have at most 2097152 bytes" });
  });

  it("stops reading a stream that exceeds the limit", async () => {
    let pulls = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
    });
    expect((await post(endless, "application/json")).status).toBe(413);
    expect(pulls).toBeLessThan(30);
  });
});
