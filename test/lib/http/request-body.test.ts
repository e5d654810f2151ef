import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { badRequest } from "../../../src/lib/common/errors.ts";
import { readBodyToEnd, withBody } from "../../../src/lib/http/request-body.ts";
import { toErrorResponse } from "../../../src/lib/http/wire-error.ts";

const app = new Hono();
app.use(readBodyToEnd);
app.onError(() => toErrorResponse(badRequest({ field: "path", message: "is wrong" })));
app.put("/untouched", () => {
  throw new Error("refused");
});
app.put("/begun", (c) =>
  withBody(c.req.raw.body, async (body) => {
    await body.getReader().read();
    throw new Error("refused");
  }),
);
app.put("/read", (c) => withBody(c.req.raw.body, async (body) => c.text(await new Response(body).text())));

function upload() {
  const { readable, writable } = new IdentityTransformStream();
  return { body: readable, writer: writable.getWriter() };
}

describe("a request whose body has not arrived", () => {
  it.each(["/untouched", "/begun"])("is refused at once, and read to its end: %s", async (path) => {
    const { body, writer } = upload();
    const answering = app.request(path, { method: "PUT", body });
    if (path === "/begun") await writer.write(new Uint8Array(10));
    const response = await answering;
    expect(response.status).toBe(400);
    const reader = response.body?.getReader();
    const content = await reader?.read();
    expect(JSON.parse(new TextDecoder().decode(content?.value))).toMatchObject({ message: "path: is wrong" });
    let isEnded = false;
    const ended = reader?.read().then(() => {
      isEnded = true;
    });
    await writer.write(new Uint8Array(10));
    expect(isEnded).toBe(false);
    await writer.close();
    await ended;
  });

  it("is served once it has", async () => {
    const { body, writer } = upload();
    const answering = app.request("/read", { method: "PUT", body });
    await writer.write(new TextEncoder().encode("content"));
    await writer.close();
    expect(await (await answering).text()).toBe("content");
  });
});
