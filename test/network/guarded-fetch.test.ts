import { describe, expect, it } from "vitest";
import { type GuardOptions, newGuardedFetch } from "../../src/network/guarded-fetch.ts";
import { parseNetworkAccess } from "../../src/network/network-access.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../src/network/network-error.ts";

type Answer = (request: Request) => Response | Promise<Response>;

const ADDRESSES: Record<string, string[]> = {
  "example.com": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "other.example": ["93.184.215.15"],
  "www.example.com": ["93.184.215.16"],
  "inside.example": ["10.0.0.7"],
  "both.example": ["93.184.215.14", "127.0.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
};

/** A guard before a made-up Internet, which answers by URL, and all that was sent to it. */
function internet(
  answers: Record<string, Answer>,
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
      const answer = answers[url];
      if (!answer) throw new Error("internal error; reference = 0123456789");
      return answer(request);
    },
    maxRedirects: 10,
    maxResponseBytes: 1000,
    timeoutMs: 5000,
    ...options,
  });
  return { guardedFetch, sent, resolved };
}

function redirect(location: string, status = 302): Answer {
  return () => new Response("moved", { status, headers: { location } });
}

const ok: Answer = () => new Response("ok");

describe("a request", () => {
  it("goes out as it was asked for, and its answer comes back to the byte", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const { guardedFetch, sent, resolved } = internet({
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

  it("carries text as UTF-8, of no type but the given", async () => {
    const { guardedFetch, sent } = internet({ "http://example.com/": ok });
    await guardedFetch("http://example.com/", { method: "PUT", body: "é" });
    expect(await sent[0]?.bytes()).toEqual(new Uint8Array([0xc3, 0xa9]));
    expect(sent[0]?.headers.get("content-type")).toBeNull();
  });

  it("may go to any port", async () => {
    const { guardedFetch } = internet({ "http://example.com:25/": ok });
    expect((await guardedFetch("http://example.com:25/")).status).toBe(200);
  });

  it("asks for no compression, which the platform would undo, unless told to", async () => {
    const { guardedFetch, sent } = internet({ "http://example.com/": ok });
    await guardedFetch("http://example.com/");
    await guardedFetch("http://example.com/", { headers: { "Accept-Encoding": "gzip" } });
    expect(sent.map(({ headers }) => headers.get("accept-encoding"))).toEqual(["identity", "gzip"]);
  });

  it("says nothing of a compression that the platform has undone", async () => {
    const { guardedFetch } = internet({
      "http://example.com/": () =>
        new Response("long text", { headers: { "content-encoding": "gzip", "content-length": "3" } }),
    });
    const { headers } = await guardedFetch("http://example.com/");
    expect([headers.has("content-encoding"), headers.has("content-length")]).toEqual([false, false]);
  });

  it("takes credentials in the URL as an Authorization header", async () => {
    const { guardedFetch, sent } = internet({ "http://example.com/": ok });
    const { url } = await guardedFetch("http://me:p%C3%A4ss@example.com/");
    expect(sent[0]?.headers.get("authorization")).toBe(`Basic ${btoa("me:p\u00c3\u00a4ss")}`);
    expect(url).toBe("http://example.com/");
  });

  it("sends no headers that are the connection's", async () => {
    const seen: string[] = [];
    const { guardedFetch } = internet(
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
    ["a method of the connection", "http://example.com/", { method: "CONNECT" }],
    ["a method that is none", "http://example.com/", { method: "GET /\r\nX: y" }],
    ["a header that is none", "http://example.com/", { headers: { "a b": "c" } }],
    ["a GET with data", "http://example.com/", { body: "data" }],
    ["another scheme", "ftp://example.com/", {}],
    ["a local file", "file:///etc/passwd", {}],
    ["no URL", "http://", {}],
    ["a port that is none", "http://example.com:70000/", {}],
  ])("is refused for %s", async (_, url, request) => {
    const { guardedFetch, sent } = internet({});
    const failure = guardedFetch(url, request);
    await expect(failure).rejects.toThrow(NetworkRefusedError);
    await expect(failure).rejects.toMatchObject({ reason: "invalid_request" });
    expect(sent).toEqual([]);
  });
});

describe("where requests may go", () => {
  it("is nowhere with the network off", async () => {
    const { guardedFetch, resolved } = internet({}, { setting: "off", allowPrivateAddresses: true });
    await expect(guardedFetch("https://example.com/")).rejects.toMatchObject({
      reason: "off",
      message: "network access is off (setting MACHINE_NETWORK)",
    });
    expect(resolved).toEqual([]);
  });

  it("is where the list says, also after a redirect", async () => {
    const { guardedFetch, sent } = internet(
      { "http://example.com/": redirect("http://www.example.com/"), "http://www.example.com/": ok },
      { setting: "example.com" },
    );
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({
      reason: "host_not_allowed",
      message: "host www.example.com at port 80 is not among those allowed (setting MACHINE_NETWORK)",
    });
    expect(sent).toHaveLength(1);
  });

  it("is never a private address because the list names it", async () => {
    const { guardedFetch } = internet({}, { setting: "127.0.0.1,inside.example,localhost" });
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

  it.each(PRIVATE)("is not %s", async (url) => {
    const { guardedFetch, sent } = internet({});
    const failure = guardedFetch(url);
    await expect(failure).rejects.toThrow(NetworkRefusedError);
    await expect(failure).rejects.toMatchObject({ reason: "private_address" });
    expect(sent).toEqual([]);
  });

  it.each(PRIVATE)("is not %s at the end of redirects", async (url) => {
    const { guardedFetch, sent } = internet({
      "http://example.com/": redirect("https://other.example/"),
      "https://other.example/": redirect(url, 307),
    });
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "private_address" });
    expect(sent.map((request) => request.url)).toEqual(["http://example.com/", "https://other.example/"]);
  });

  it("is private addresses too where the service allows them", async () => {
    const { guardedFetch, resolved } = internet(
      { "http://127.0.0.1:3000/": ok, "http://localhost/": ok },
      { allowPrivateAddresses: true },
    );
    expect((await guardedFetch("http://127.0.0.1:3000/")).status).toBe(200);
    expect((await guardedFetch("http://localhost/")).status).toBe(200);
    expect(resolved).toEqual([]);
  });

  it("tells nothing of the addresses that a name has", async () => {
    const { guardedFetch } = internet({});
    await expect(guardedFetch("http://inside.example/")).rejects.toThrow(
      /^inside\.example has a private address$/,
    );
  });

  it("is not where a name leads nowhere", async () => {
    const { guardedFetch, sent } = internet({});
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
    const { guardedFetch, sent } = internet({
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

  it("keep secrets on the same origin", async () => {
    const { guardedFetch, sent } = internet({
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
    ["another host with a user of its own", "http://you@other.example/"],
  ])("take no secrets to %s", async (_, location) => {
    const target = new URL(location);
    target.username = "";
    const { guardedFetch, sent } = internet({
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

  it("are counted, and the asker may allow fewer but not more", async () => {
    const { guardedFetch, sent } = internet(
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

  it("are answers where they are not to be followed, or lead nowhere", async () => {
    const { guardedFetch } = internet({
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
    "to %s are refused",
    async (location) => {
      const { guardedFetch } = internet({ "http://example.com/": redirect(location) });
      await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "invalid_request" });
    },
  );

  it("let go of the connections that they leave", async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const { guardedFetch } = internet({
      "http://example.com/": () => new Response(body, { status: 302, headers: { location: "/next" } }),
      "http://example.com/next": ok,
    });
    await guardedFetch("http://example.com/");
    expect(cancelled).toBe(true);
  });
});

describe("limits", () => {
  /** A body that goes on for ever, and how many chunks of it were read. */
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

  it("take an answer of just the size", async () => {
    const { guardedFetch } = internet({ "http://example.com/": () => new Response(new Uint8Array(1000)) });
    expect((await guardedFetch("http://example.com/")).body).toHaveLength(1000);
  });

  it("end an answer that grows beyond the size, without reading on", async () => {
    const { body, state } = endless(new Uint8Array(300));
    const { guardedFetch } = internet({ "http://example.com/": () => new Response(body) });
    const failure = guardedFetch("http://example.com/");
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "response_too_large",
      message: "The response is larger than 1000 bytes",
    });
    expect(state.cancelled).toBe(true);
    expect(state.chunks).toBeLessThan(8);
  });

  it("refuse an answer by the size that it states, unless it is one to HEAD", async () => {
    const { body, state } = endless(new Uint8Array(1));
    const headers = { "content-length": "1001" };
    const { guardedFetch } = internet({
      "http://example.com/": (request) =>
        request.method === "HEAD" ? new Response(null, { headers }) : new Response(body, { headers }),
    });
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "response_too_large" });
    expect(state.cancelled).toBe(true);
    const { headers: answered } = await guardedFetch("http://example.com/", { method: "HEAD" });
    expect(answered.get("content-length")).toBe("1001");
  });

  const never = () => new Promise<never>(() => {});
  const silent: Answer = () => new Response(new ReadableStream({ pull: never }));

  it.each<[string, Partial<GuardOptions>, Record<string, Answer>]>([
    ["resolving", { resolve: never }, {}],
    ["connecting", {}, { "http://example.com/": never }],
    ["the answer's body", {}, { "http://example.com/": silent }],
    ["a redirect", {}, { "http://example.com/": redirect("/next"), "http://example.com/next": never }],
  ])("end a request whose time runs out in %s", async (_, options, answers) => {
    const { guardedFetch } = internet(answers, { ...options, timeoutMs: 30 });
    const failure = guardedFetch("http://example.com/", { timeoutMs: 60_000 });
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "timed_out",
      message: "Operation timed out after 30 milliseconds",
    });
  });

  it("may be shortened by the asker", async () => {
    const { guardedFetch } = internet({ "http://example.com/": never });
    await expect(guardedFetch("http://example.com/", { timeoutMs: 20 })).rejects.toThrow(
      "after 20 milliseconds",
    );
  });

  it("end with the asker's signal, by its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("killed");
    const { guardedFetch } = internet({
      "http://example.com/": () => {
        controller.abort(reason);
        return never();
      },
    });
    await expect(guardedFetch("http://example.com/", { signal: controller.signal })).rejects.toBe(reason);
  });

  it("send nothing for a signal that has come already", async () => {
    const reason = new Error("killed");
    const { guardedFetch, sent } = internet({ "http://example.com/": ok });
    await expect(guardedFetch("http://example.com/", { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(sent).toEqual([]);
  });

  it("pass the signal on to what sends", async () => {
    let passed: AbortSignal | null | undefined;
    const { guardedFetch } = internet(
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
  it("of a connection name the host, and not what the runtime calls them", async () => {
    const { guardedFetch } = internet({});
    const failure = guardedFetch("https://example.com/");
    await expect(failure).rejects.toThrow(NetworkFailedError);
    await expect(failure).rejects.toMatchObject({
      reason: "unreachable",
      message: "Failed to connect to example.com port 443",
    });
  });

  it("in the midst of an answer are failures of the whole", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(3));
      },
      pull(controller) {
        controller.error(new Error("Network connection lost."));
      },
    });
    const { guardedFetch } = internet({ "http://example.com/": () => new Response(body) });
    await expect(guardedFetch("http://example.com/")).rejects.toMatchObject({ reason: "unreachable" });
  });
});
