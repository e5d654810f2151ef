import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { recorder } from "../../../../src/api/record-request.ts";
import { runKeys } from "../../../../src/features/apps/invocations/run-key.ts";
import { pause } from "../../../../src/lib/common/concurrency.ts";
import { newIdentifier } from "../../../../src/lib/common/identifiers.ts";
import { newClient, ORIGIN } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { listEntries } from "../../audit/entries.ts";
import { deployApp } from "../deployed-app.ts";
import { invoke, invokeAsync, waitForStatus } from "./actions.ts";
import { mockOutsideRequests } from "./outside-requests.ts";

const { APP_NETWORK, PUBLIC_URL } = env;

const CALLER_HEADERS = [
  "cf-connecting-ip",
  "cf-ray",
  "cf-access-jwt-assertion",
  "cf-worker",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-real-ip",
  "true-client-ip",
  "forwarded",
];

const outside = mockOutsideRequests();
const client = await newClient();
const app = await deployApp(
  client,
  {
    fetch: `const { url, body, ...init } = payload;
      const response = await fetch(url, { ...init, body });
      return { status: response.status, url: response.url, text: await response.text() };`,
    stream: `const pieces = ["one", "two", "three"].map((piece) => new TextEncoder().encode(piece));
      const body = new ReadableStream({ pull: (controller) =>
        pieces.length > 0 ? controller.enqueue(pieces.shift()) : controller.close() });
      const response = await fetch(payload.url, { method: "POST", body, duplex: "half" });
      let bytes = 0;
      for await (const chunk of response.body) bytes += chunk.length;
      return bytes;`,
    connect: `const { readable, writable } = connect("example.com:25");
      await writable.getWriter().write(new TextEncoder().encode("HELO"));
      return (await readable.getReader().read()).done;`,
    stay: "await new Promise(() => {});",
  },
  { head: 'import { connect } from "cloudflare:sockets";' },
);
afterEach(() => {
  env.APP_NETWORK = APP_NETWORK;
  env.PUBLIC_URL = PUBLIC_URL;
  env.ALLOW_PRIVATE_ADDRESSES = "true";
});

async function fetchFromApp(payload: object): Promise<{ status: number; url: string; text: string }> {
  const { output, status_reason } = await invoke(client, app, "fetch", { payload: JSON.stringify(payload) });
  expect(output, status_reason).toBeDefined();
  return JSON.parse(output ?? "");
}

describe("requests of an app to other hosts", () => {
  it("are forwarded unchanged", async () => {
    outside.respond = async (request) =>
      Response.json({
        method: request.method,
        header: request.headers.get("x-own"),
        host: request.headers.get("host"),
        redirect: request.redirect,
        body: await request.text(),
      });
    const request = {
      url: "https://example.com/path?query=1",
      method: "PUT",
      body: "body",
      headers: { "x-own": "header", host: "other.test" },
    };
    const { status, text } = await fetchFromApp(request);
    const forwarded = { method: "PUT", header: "header", host: null, redirect: "manual", body: "body" };
    expect([status, JSON.parse(text)]).toEqual([200, forwarded]);
    expect(outside.urls).toEqual([request.url]);
  });

  it("are forwarded without cf options", async () => {
    outside.respond = ({ cf }) => Response.json(cf ?? {});
    const cf = { resolveOverride: "other.test", cacheEverything: true, cacheKey: "https://other.test/" };
    const { text } = await fetchFromApp({ url: "https://example.com/", cf });
    expect(JSON.parse(text)).toEqual({});
  });

  it("carry no headers that tell who called", async () => {
    outside.respond = ({ headers }) => Response.json([...headers.keys()]);
    const headers = Object.fromEntries(CALLER_HEADERS.map((name) => [name, "203.0.113.7"]));
    const { text } = await fetchFromApp({ url: "https://example.com/", headers });
    expect(JSON.parse(text).filter((name: string) => CALLER_HEADERS.includes(name))).toEqual([]);
  });

  it("stream large bodies in both directions", async () => {
    const megabyte = new Uint8Array(1024 * 1024);
    outside.respond = async (request) => {
      expect(await request.text()).toBe("onetwothree");
      let left = 20;
      // A body available at once would be read in one turn, which the loop guard may stop.
      const pull = async (controller: ReadableStreamDefaultController) => {
        await pause(0);
        if (left-- > 0) controller.enqueue(megabyte);
        else controller.close();
      };
      return new Response(new ReadableStream({ pull }));
    };
    const payload = JSON.stringify({ url: "https://example.com/" });
    const invocation = await invoke(client, app, "stream", { payload });
    expect(invocation).toMatchObject({ status: "succeeded", output: String(20 * megabyte.length) });
  });

  it("are checked again on each redirect", async () => {
    env.APP_NETWORK = "example.com";
    outside.respond = ({ url }) =>
      url === "https://example.com/first"
        ? new Response(null, { status: 302, headers: { location: "/second" } })
        : new Response(null, { status: 307, headers: { location: "https://elsewhere.test/" } });
    const answer = await fetchFromApp({ url: "https://example.com/first" });
    expect(answer).toMatchObject({ status: 403, url: "https://elsewhere.test/" });
    expect(answer.text).toContain("elsewhere.test at port 443 is not among those allowed");
    expect(outside.urls).toEqual(["https://example.com/first", "https://example.com/second"]);
  });

  it.each([
    ["off", "https://example.com/", "network access is off (setting APP_NETWORK)"],
    ["example.com", "https://other.test/", "(setting APP_NETWORK)"],
    ["example.com:8443", "https://example.com/", "(setting APP_NETWORK)"],
  ])("are rejected with APP_NETWORK set to %s for %s", async (setting, url, words) => {
    env.APP_NETWORK = setting;
    const { status, text } = await fetchFromApp({ url });
    expect(status).toBe(403);
    expect(JSON.parse(text)).toMatchObject({ code: "forbidden", message: expect.stringContaining(words) });
    expect(outside.urls).toEqual([]);
  });

  it.each([
    "http://127.0.0.1/",
    "http://localhost:8787/",
    "http://[::1]/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://0x7f000001/",
    "http://metadata.internal/",
  ])("are rejected for the private address %s", async (url) => {
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    const { status, text } = await fetchFromApp({ url });
    expect(status, text).toBe(403);
    expect(text).toContain("private");
    expect(outside.urls).toEqual([]);
  });

  it("get a 503 when the host is unreachable", async () => {
    outside.respond = () => {
      throw new Error("Network connection lost.");
    };
    const { status, text } = await fetchFromApp({ url: "https://example.com/" });
    expect([status, JSON.parse(text).message]).toEqual([503, "The host cannot be reached"]);
  });

  it("cannot use raw sockets", async () => {
    const { status, status_reason } = await invoke(client, app, "connect");
    expect([status, status_reason]).toEqual(["failed", expect.stringContaining("connection")]);
  });
});

describe("requests of an app to this service", () => {
  it("are served internally, regardless of APP_NETWORK", async () => {
    env.APP_NETWORK = "off";
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    const answer = await fetchFromApp({ url: `${ORIGIN}/health` });
    expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(outside.urls).toEqual([]);
  });

  it("are recorded with the run as their origin, whatever address their headers give", async () => {
    const { flushDelayMs } = recorder;
    recorder.flushDelayMs = 0;
    env.AUDIT_LOG_RETENTION_SECONDS = "60";
    const forged = Object.fromEntries(CALLER_HEADERS.map((name) => [name, "203.0.113.7"]));
    const headers = { ...forged, authorization: `Bearer ${client.token}` };
    const payload = JSON.stringify({ url: `${ORIGIN}/org/limits`, headers });
    try {
      const { id } = await invoke(client, app, "fetch", { payload });
      await expect
        .poll(async () => (await listEntries(client)).find(({ path }) => path === "/org/limits")?.client_ip)
        .toBe(`invocation:${id}`);
    } finally {
      env.AUDIT_LOG_RETENTION_SECONDS = "0";
      recorder.flushDelayMs = flushDelayMs;
    }
  });

  it.each(["HTTPS://BERTH.test", "https://berth.test:443/"])(
    "are served with PUBLIC_URL set to %s",
    async (setting) => {
      env.PUBLIC_URL = setting;
      env.APP_NETWORK = "off";
      expect((await fetchFromApp({ url: "https://berth.test/health" })).status).toBe(200);
    },
  );

  it("are not served at other origins", async () => {
    env.APP_NETWORK = "off";
    for (const url of [`${ORIGIN}:8443/health`, ORIGIN.replace("https:", "http:"), `${ORIGIN}.other.test/`]) {
      expect((await fetchFromApp({ url })).status).toBe(403);
    }
  });
});

describe("requests of a run", () => {
  /** @returns the statuses of a request to another host and of one to this service. */
  async function fetchFromGateway(
    invocationId: string,
    organizationId = client.organizationId,
  ): Promise<number[]> {
    const gateway = exports.AppGateway({
      props: { origin: ORIGIN, organizationId, projectId: "", invocationId },
    });
    const fetchStatus = async (url: string) => (await gateway.fetch(url)).status;
    return Promise.all(["https://example.com/", `${ORIGIN}/health`].map(fetchStatus));
  }

  it("are forwarded while it runs, and rejected a second after its end", async () => {
    const id = await invokeAsync(client, app, "stay");
    await waitForStatus(client, id, "running");
    expect(await fetchFromGateway(id)).toEqual([204, 200]);
    await client.patch(`/invocations/${id}`, { status: "failed" });
    advanceTime(1000);
    outside.urls.length = 0;
    expect(await fetchFromGateway(id)).toEqual([403, 403]);
    expect(outside.urls).toEqual([]);
  });

  it("are rejected if the organization has no such run", async () => {
    const other = await newClient();
    const id = await invokeAsync(client, app, "stay");
    expect(await fetchFromGateway(id, other.organizationId)).toEqual([403, 403]);
    expect(outside.urls).toEqual([]);
    await client.patch(`/invocations/${id}`, { status: "failed" });
  });

  it("get a 503 while the state of the run is unknown", async () => {
    const isActive = vi.spyOn(runKeys, "isActive").mockRejectedValue(new Error("no answer"));
    expect(await fetchFromGateway(newIdentifier())).toEqual([503, 503]);
    expect(outside.urls).toEqual([]);
    isActive.mockRestore();
  });
});
