import { parseNetworkAccess } from "network-rules";
import { describe, expect, it } from "vitest";
import { type GuardOptions, newGuardedFetch } from "../../../src/platform/network/guarded-fetch.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../../src/platform/network/network-error.ts";

type Handler = (request: Request) => Response | Promise<Response>;

const ADDRESSES: Record<string, string[]> = {
  "example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "other.example": ["93.184.215.15"],
  "www.example.com": ["93.184.215.16"],
  "inside.example": ["10.0.0.7"],
  "both.example": ["93.184.215.14", "127.0.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
};

/** A guarded fetch over a fake Internet that responds by URL and records all requests. */
function fakeInternet(
  handlers: Record<string, Handler>,
  options: Partial<GuardOptions> & { setting?: string } = {},
) {
  const sent: Request[] = [];
  const resolved: string[] = [];
  const parsed = parseNetworkAccess(options.setting ?? "on");
  if ("problem" in parsed) throw new Error(parsed.problem);
  const guardedFetch = newGuardedFetch({
    allowPrivateAddresses: false,
    allow: parsed.access,
    settingName: "MACHINE_NETWORK",
    resolve: async (name) => {
      resolved.push(name);
      const addresses = ADDRESSES[name];
      if (!addresses) throw new NetworkFailedError("unresolved", `Could not resolve host: ${name}`);
      return addresses;
    },
    fetch: async (url, init) => {
      expect(init.redirect).toBe("manual");
      const request = new Request(url, init);
      sent.push(request.clone());
      const handler = handlers[url];
      if (!handler) throw new Error("internal error; reference = 0123456789");
      return handler(request);
    },
    maxRedirects: 10,
    maxResponseBytes: 1000,
    timeoutMs: 5000,
    ...options,
  });
  return { guardedFetch, sent, resolved };
}

function redirect(location: string, status = 302): Handler {
  return () => new Response("moved", { status, headers: { location } });
}

const ok: Handler = () => new Response("ok");

describe("a request", () => {
  it("is sent unchanged, and its response is returned byte for byte", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const { guardedFetch, sent, resolved } = fakeInternet({
      "https://example.com/path?q=1": () =>
        new Response(bytes, { status: 201, statusText: "Made", headers: { "x-answer": "yes" } }),
    });
    const response = await guardedFetch("https://example.com/path?q=1", {
      method: "post",
      headers: { "x-question": "why" },
      body: bytes,
    });

    expect(response).toMatchObject({ status: 201, statusText: "Made", url: "https://example.com/path?q=1" });
    expect(response.headers.get("x-answer")).toBe("yes");
    expect(response.body).toEqual(bytes);
    expect(sent[0]?.method).toBe("POST");
    expect(sent[0]?.headers.get("x-question")).toBe("why");
    expect(await sent[0]?.bytes()).toEqual(bytes);
    expect(resolved).toEqual(["example.com"]);
  });

  it("sends text as UTF-8 without a default content type", async () => {
    const { guardedFetch, sent } = fakeInternet({ "http://example.com/": ok });
    await guardedFetch("http://example.com/", { method: "PUT", body: "é" });
    expect(await sent[0]?.bytes()).toEqual(new Uint8Array([0xc3, 0xa9]));
    expect(sent[0]?.headers.get("content-type")).toBeNull();
  });

  it("can go to any port", async () => {
    const { guardedFetch } = fakeInternet({ "http://example.com:25/": ok });
    expect((await guardedFetch("http://example.com:25/")).status).toBe(200);
  });

  it("requests no compression by default, because the platform would undo it", async () => {
    const { guardedFetch, sent } = fakeInternet({ "http://example.com/": ok });
    await guardedFetch("http://example.com/");
    await guardedFetch("http://example.com/", { headers: { "Accept-Encoding": "gzip" } });
    expect(sent.map(({ headers }) => headers.get("accept-encoding"))).toEqual(["identity", "gzip"]);
  });

  it("returns no headers of a compression that the platform has undone", async () => {
    const { guardedFetch } = fakeInternet({
      "http://example.com/": () =>
        new Response("long text", { headers: { "content-encoding": "gzip", "content-length": "3" } }),
    });
    const { headers } = await guardedFetch("http://example.com/");
    expect([headers.has("content-encoding"), headers.has("content-length")]).toEqual([false, false]);
  });

  it("sends credentials in the URL as an Authorization header", async () => {
    const { guardedFetch, sent } = fakeInternet({ "http://example.com/": ok });
    const { url } = await guardedFetch("http://me:p%C3%A4ss@example.com/");
    expect(sent[0]?.headers.get("authorization")).toBe(`Basic ${btoa("me:p\u00c3\u00a4ss")}`);
    expect(url).toBe("http://example.com/");
  });

  it("sends no headers that tell who called, which the receiver may trust", async () => {
    const { guardedFetch, sent } = fakeInternet({ "http://example.com/": ok });
    const headers = {
      "CF-Connecting-IP": "203.0.113.7",
      "X-Forwarded-For": "203.0.113.7",
      "x-real-ip": "::1",
    };
    await guardedFetch("http://example.com/", { headers });
    expect([...(sent[0]?.headers.keys() ?? [])]).toEqual(["accept-encoding"]);
  });

  it("sends no connection headers", async () => {
    const seen: string[] = [];
    const { guardedFetch } = fakeInternet(
      {},
      {
        fetch: async (_, init) => {
          seen.push(...new Headers(init.headers).keys());
          return new Response();
        },
      },
    );
    await guardedFetch("http://example.com/", {
      headers: { Host: "inside.example", Upgrade: "websocket", Connection: "upgrade", "Content-Length": "9" },
    });
    expect(seen).toEqual(["accept-encoding"]);
  });

  it.each([
    ["a connection method", "http://example.com/", { method: "CONNECT" }],
    ["an invalid method", "http://example.com/", { method: "GET /\r\nX: y" }],
    ["an invalid header", "http://example.com/", { headers: { "a b": "c" } }],
    ["a GET with a body", "http://example.com/", { body: "data" }],
    ["an unsupported scheme", "ftp://example.com/", {}],
    ["a file URL", "file:///etc/passwd", {}],
    ["an invalid URL", "http://", {}],
    ["an invalid port", "http://example.com:70000/", {}],
  ])("is rejected for %s", async (_, url, request) => {
    const { guardedFetch, sent } = fakeInternet({});
    const failure = guardedFetch(url, request);
    await expect(failure).rejects.toThrow(NetworkRefusedError);
    await expect(failure).rejects.toMatchObject({ reason: "invalid_request" });
    expect(sent).toEqual([]);
  });
});

describe("destinations", () => {
  it("are all refused with the network off", async () => {
    const { guardedFetch, resolved } = fakeInternet({}, { setting: "off", allowPrivateAddresses: true });
    await expect(guardedFetch("https://example.com/")).rejects.toMatchObject({
      reason: "off",
      message: "network access is off (setting MACHINE_NETWORK)",
    });
    expect(resolved).toEqual([]);
  });

  it("are limited to the allowed hosts, also after a redirect", async () => {
    const { guardedFetch, sent } = fakeInternet(
      { "http://example.com/": redirect("http://www.example.com/"), "http://www.example.com/": ok },
      { setting: "example.com" },
    );
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({
      reason: "host_not_allowed",
      message: "host www.example.com at port 80 is not among those allowed (setting MACHINE_NETWORK)",
    });
    expect(sent).toHaveLength(1);
  });

  it("cannot be private addresses, even when listed", async () => {
    const { guardedFetch } = fakeInternet({}, { setting: "127.0.0.1,inside.example,localhost" });
    for (const host of ["127.0.0.1", "inside.example", "localhost"]) {
      await expect(guardedFetch(`http://${host}/`)).rejects.toMatchObject({ reason: "private_address" });
    }
  });

  const PRIVATE = [
    "http://127.0.0.1/",
    "http://127.1:8787/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://0/",
    "http://%31%32%37.0.0.1/",
    "http://１２７。0。0。1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fd00:ec2::254]/",
    "http://127.0.0.1./",
    "http://localhost:8787/",
    "http://LOCALHOST./",
    "http://session.localhost/",
    "http://metadata.google.internal/",
    "http://router/",
    "http://inside.example/",
    "http://inside.example./",
    "http://both.example/",
    "http://mapped.example/",
    "http://example.com@127.0.0.1/",
    "http://10.0.0.1\\@example.com/",
  ];

  it.each(PRIVATE)("cannot be %s", async (url) => {
    const { guardedFetch, sent } = fakeInternet({});
    const failure = guardedFetch(url);
    await expect(failure).rejects.toThrow(NetworkRefusedError);
    await expect(failure).rejects.toMatchObject({ reason: "private_address" });
    expect(sent).toEqual([]);
  });

  it.each(PRIVATE)("cannot be %s after redirects", async (url) => {
    const { guardedFetch, sent } = fakeInternet({
      "http://example.com/": redirect("https://other.example/"),
      "https://other.example/": redirect(url, 307),
    });
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "private_address" });
    expect(sent.map((request) => request.url)).toEqual(["http://example.com/", "https://other.example/"]);
  });

  it("can be private addresses where the service allows them", async () => {
    const { guardedFetch, resolved } = fakeInternet(
      { "http://127.0.0.1:3000/": ok, "http://localhost/": ok },
      { allowPrivateAddresses: true },
    );
    expect((await guardedFetch("http://127.0.0.1:3000/")).status).toBe(200);
    expect((await guardedFetch("http://localhost/")).status).toBe(200);
    expect(resolved).toEqual([]);
  });

  it("do not reveal a name's addresses when refused", async () => {
    const { guardedFetch } = fakeInternet({});
    await expect(guardedFetch("http://inside.example/")).rejects.toThrow(
      /^inside\.example has a private address$/,
    );
  });

  it("must resolve", async () => {
    const { guardedFetch, sent } = fakeInternet({});
    await expect(guardedFetch("http://nowhere.example/")).rejects.toMatchObject({ reason: "unresolved" });
    expect(sent).toEqual([]);
  });
});

describe("redirects", () => {
  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
    [301, "PUT", "PUT"],
    [302, "DELETE", "DELETE"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [302, "HEAD", "HEAD"],
  ])("%i turns %s into %s", async (status, method, expected) => {
    const { guardedFetch, sent } = fakeInternet({
      "http://example.com/a/b": redirect("../c?d", status),
      "http://example.com/c?d": ok,
    });
    const body = method === "HEAD" ? undefined : "data";
    const response = await guardedFetch("http://example.com/a/b", {
      method,
      body,
      headers: { "content-type": "text/x-data", "x-mine": "1" },
    });
    const second = sent[1];
    expect(response.url).toBe("http://example.com/c?d");
    expect(second?.method).toBe(expected);
    expect(second?.headers.get("x-mine")).toBe("1");
    const kept = expected === method;
    expect(second?.headers.get("content-type")).toBe(kept ? "text/x-data" : null);
    expect(await second?.text()).toBe(kept && body ? body : "");
  });

  it("keep credentials on the same origin", async () => {
    const { guardedFetch, sent } = fakeInternet({
      "http://example.com/": redirect("/next"),
      "http://example.com/next": ok,
    });
    await guardedFetch("http://me:pass@example.com/", { headers: { cookie: "a=b" } });
    expect(sent[1]?.headers.get("authorization")).toBe(`Basic ${btoa("me:pass")}`);
    expect(sent[1]?.headers.get("cookie")).toBe("a=b");
  });

  it.each([
    ["another host", "http://other.example/"],
    ["another port", "http://example.com:81/"],
    ["another scheme", "https://example.com/"],
    ["another host with its own user", "http://you@other.example/"],
  ])("drop credentials for %s", async (_, location) => {
    const target = new URL(location);
    target.username = "";
    const { guardedFetch, sent } = fakeInternet({
      "http://example.com/": redirect(location),
      [target.href]: redirect("http://example.com/back"),
      "http://example.com/back": ok,
    });
    await guardedFetch("http://me:pass@example.com/", {
      headers: { cookie: "a=b", "Proxy-Authorization": "c", "x-mine": "1" },
    });
    for (const request of sent.slice(1)) {
      expect(request.headers.get("authorization")).not.toBe(`Basic ${btoa("me:pass")}`);
      expect(request.headers.get("cookie")).toBeNull();
      expect(request.headers.get("proxy-authorization")).toBeNull();
      expect(request.headers.get("x-mine")).toBe("1");
    }
    expect(sent).toHaveLength(3);
  });

  it("are limited, and callers can only lower the limit", async () => {
    const { guardedFetch, sent } = fakeInternet(
      { "http://example.com/": redirect("http://example.com/") },
      { maxRedirects: 3 },
    );
    const failure = guardedFetch("http://example.com/", { maxRedirects: 50 });
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "too_many_redirects",
      message: "Too many redirects (most: 3)",
    });
    expect(sent).toHaveLength(4);
    await expect(guardedFetch("http://example.com/", { maxRedirects: 0 })).rejects.toThrow("(most: 0)");
    expect(sent).toHaveLength(5);
  });

  it("are returned when not followed or without a location", async () => {
    const { guardedFetch } = fakeInternet({
      "http://example.com/": redirect("http://127.0.0.1/"),
      "http://example.com/none": () => new Response("here", { status: 302 }),
      "http://example.com/304": () => new Response(null, { status: 304, headers: { location: "/" } }),
    });
    const response = await guardedFetch("http://example.com/", { followRedirects: false });
    expect([response.status, response.headers.get("location")]).toEqual([302, "http://127.0.0.1/"]);
    expect((await guardedFetch("http://example.com/none")).status).toBe(302);
    expect((await guardedFetch("http://example.com/304")).status).toBe(304);
  });

  it.each(["http://", "javascript:alert(1)", "data:text/plain,x", "file:///etc/passwd"])(
    "to %s are rejected",
    async (location) => {
      const { guardedFetch } = fakeInternet({ "http://example.com/": redirect(location) });
      await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "invalid_request" });
    },
  );

  it("cancel the bodies of their responses", async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const { guardedFetch } = fakeInternet({
      "http://example.com/": () => new Response(body, { status: 302, headers: { location: "/next" } }),
      "http://example.com/next": ok,
    });
    await guardedFetch("http://example.com/");
    expect(cancelled).toBe(true);
  });
});

describe("limits", () => {
  /** An endless body that counts the chunks read. */
  function endless(chunk: Uint8Array) {
    const state = { chunks: 0, cancelled: false };
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        state.chunks++;
        controller.enqueue(chunk.slice());
      },
      cancel() {
        state.cancelled = true;
      },
    });
    return { body, state };
  }

  it("accept a response of exactly the maximum size", async () => {
    const { guardedFetch } = fakeInternet({
      "http://example.com/": () => new Response(new Uint8Array(1000)),
    });
    expect((await guardedFetch("http://example.com/")).body).toHaveLength(1000);
  });

  it("stop reading a response that exceeds the maximum size", async () => {
    const { body, state } = endless(new Uint8Array(300));
    const { guardedFetch } = fakeInternet({ "http://example.com/": () => new Response(body) });
    const failure = guardedFetch("http://example.com/");
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "response_too_large",
      message: "The response is larger than 1000 bytes",
    });
    expect(state.cancelled).toBe(true);
    expect(state.chunks).toBeLessThan(8);
  });

  it("reject a response by its Content-Length, except for HEAD", async () => {
    const { body, state } = endless(new Uint8Array(1));
    const headers = { "content-length": "1001" };
    const { guardedFetch } = fakeInternet({
      "http://example.com/": (request) =>
        request.method === "HEAD" ? new Response(null, { headers }) : new Response(body, { headers }),
    });
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "response_too_large" });
    expect(state.cancelled).toBe(true);
    const { headers: headHeaders } = await guardedFetch("http://example.com/", { method: "HEAD" });
    expect(headHeaders.get("content-length")).toBe("1001");
  });

  const never = () => new Promise<never>(() => {});
  const silent: Handler = () => new Response(new ReadableStream({ pull: never }));

  it.each<[string, Partial<GuardOptions>, Record<string, Handler>]>([
    ["resolving", { resolve: never }, {}],
    ["connecting", {}, { "http://example.com/": never }],
    ["reading the body", {}, { "http://example.com/": silent }],
    [
      "following a redirect",
      {},
      { "http://example.com/": redirect("/next"), "http://example.com/next": never },
    ],
  ])("end a request that times out while %s", async (_, options, handlers) => {
    const { guardedFetch } = fakeInternet(handlers, { ...options, timeoutMs: 30 });
    const failure = guardedFetch("http://example.com/", { timeoutMs: 60_000 });
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "timed_out",
      message: "Operation timed out after 30 milliseconds",
    });
  });

  it("can be lowered by the caller", async () => {
    const { guardedFetch } = fakeInternet({ "http://example.com/": never });
    await expect(guardedFetch("http://example.com/", { timeoutMs: 20 })).rejects.toThrow(
      "after 20 milliseconds",
    );
  });

  it("end a request with the caller's abort reason", async () => {
    const controller = new AbortController();
    const reason = new Error("killed");
    const { guardedFetch } = fakeInternet({
      "http://example.com/": () => {
        controller.abort(reason);
        return never();
      },
    });
    await expect(guardedFetch("http://example.com/", { signal: controller.signal })).rejects.toBe(reason);
  });

  it("send nothing for an already aborted signal", async () => {
    const reason = new Error("killed");
    const { guardedFetch, sent } = fakeInternet({ "http://example.com/": ok });
    await expect(guardedFetch("http://example.com/", { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(sent).toEqual([]);
  });

  it("pass an abort signal to the underlying fetch", async () => {
    let passed: AbortSignal | null | undefined;
    const { guardedFetch } = fakeInternet(
      {},
      {
        timeoutMs: 20,
        fetch: (_, init) => {
          passed = init.signal;
          return never();
        },
      },
    );
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "timed_out" });
    expect(passed?.aborted).toBe(true);
  });
});

describe("failures", () => {
  it("to connect name the host, without the runtime's message", async () => {
    const { guardedFetch } = fakeInternet({});
    const failure = guardedFetch("https://example.com/");
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "unreachable",
      message: "Failed to connect to example.com port 443",
    });
  });

  it("while reading a response fail the request", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(3));
      },
      pull(controller) {
        controller.error(new Error("Network connection lost."));
      },
    });
    const { guardedFetch } = fakeInternet({ "http://example.com/": () => new Response(body) });
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "unreachable" });
  });
});
