import { describe, expect, it } from "vitest";
import { numberedEventSchema } from "../../../src/features/telemetry/schema.ts";
import { newClient } from "../../api.ts";
import { DevTools } from "../../devtools.ts";
import { LogStream } from "../../log-stream.ts";

const SITE = "https://site.test";
const FRAME = "https://other.test/frame";
const KINDS = ["dedicated", "nested", "shared", "service"];
const RECORDED = { browser: { console: { enabled: true }, network: { enabled: true } } };

/** Logs as it starts. Logs, throws and fetches each time it gets a message. */
function scriptOf(kind: string): string {
  return `
    console.log("${kind} started");
    const act = () => {
      console.log("${kind} said");
      setTimeout(() => { throw new Error("${kind} failed") });
      fetch("/by-${kind}");
    };
    ${kind === "dedicated" ? `globalThis.nested = new Worker("/nested.js");` : ""}
    onmessage = () => { act(); globalThis.nested?.postMessage("") };
    onconnect = ({ ports: [port] }) => { port.onmessage = act };`;
}

const PAGE = `<!doctype html><link rel="icon" href="data:,"><script>
  const workers = [];
  async function start() {
    await navigator.serviceWorker.register("/service.js");
    const { active } = await navigator.serviceWorker.ready;
    workers.push(new Worker("/dedicated.js"), new SharedWorker("/shared.js").port, active);
    return 0;
  }
  function act() {
    for (const worker of workers) worker.postMessage("");
    return 0;
  }
</script>`;

function bodyOf({ origin, pathname }: URL): string {
  if (origin !== SITE) return `<script>console.log("frame said")</script>`;
  const kind = KINDS.find((name) => pathname === `/${name}.js`);
  return kind === undefined ? PAGE : scriptOf(kind);
}

async function open(body: object) {
  const client = await newClient();
  const session = await client.createSession({ timeout_seconds: 600, ...body });
  const id = session.session_id;
  const devTools = await DevTools.connect(session.cdp_ws_url);
  await devTools.openPage();
  await devTools.serve(bodyOf);
  await devTools.navigate(`${SITE}/`);
  await expect.poll(() => devTools.evaluate("document.readyState + location.href")).toBe(`complete${SITE}/`);
  const readEvents = async () => {
    const events = await client.get(`/browsers/${id}/telemetry/events?limit=1000`);
    return events.read(numberedEventSchema.array()).map(({ event }) => event);
  };
  /** Of each kind of worker: the addresses of its events by what they say. */
  const readSummary = async () => {
    const lines = (await readEvents()).flatMap(({ type, data = {} }) => {
      const said = String(type.startsWith("network") ? data.url : data.text);
      const kind = KINDS.find((name) => new RegExp(`${name} (said|failed)|/by-${name}$`).test(said));
      return kind === undefined
        ? []
        : [`${kind} ${type} ${type.startsWith("network") ? "" : data.url}`.trim()];
    });
    return lines.sort();
  };
  const end = async () => {
    await client.delete(`/browsers/${id}`);
  };
  return { client, session, id, devTools, readEvents, readSummary, end };
}

const ONE_OF_EACH = KINDS.flatMap((kind) => [
  `${kind} console_error ${SITE}/${kind}.js`,
  `${kind} console_log ${SITE}/${kind}.js`,
  `${kind} network_request`,
  `${kind} network_response`,
]).sort();

describe("the workers of a real Chromium", () => {
  it.each([false, true])("have their own events, with stealth %s", async (stealth) => {
    const { devTools, readSummary, readEvents, end } = await open({ stealth, telemetry: RECORDED });
    await devTools.evaluate("start().then(act)");
    await expect.poll(readSummary).toEqual(ONE_OF_EACH);
    const texts = (await readEvents()).map(({ data }) => String(data?.text));
    const started = texts.filter((text) => text.endsWith(" started"));
    expect(started.sort()).toEqual(KINDS.map((kind) => `${kind} started`).sort());
    await end();
  });

  it("have their errors told by their page, unless recording is asked for", async () => {
    const { client, id, devTools, readEvents, readSummary, end } = await open({});
    await devTools.evaluate("start().then(act)");
    const errors = ["dedicated", "nested"].map((kind) => `${kind} console_error ${SITE}/${kind}.js`);
    const readKinds = async () => [...new Set(await readSummary())];
    await expect.poll(readKinds).toEqual(errors);
    await client.patch(`/browsers/${id}`, { telemetry: { browser: { console: { enabled: true } } } });
    const count = async (text: string) =>
      (await readEvents()).filter(({ data }) => String(data?.text).includes(text)).length;
    await expect
      .poll(async () => {
        await devTools.evaluate("act()");
        return count("dedicated said");
      })
      .toBeGreaterThan(0);
    await devTools.evaluate(`
      const last = new Worker("data:text/javascript,setTimeout(() => { throw new Error('once') })");
      last.onerror = () => setTimeout(() => console.error("afterwards"));
      0`);
    await expect.poll(() => count("afterwards")).toBe(1);
    await expect.poll(() => count("Error: once")).toBe(1);
    await end();
  });

  it("have them once recording them begins", async () => {
    const { client, id, devTools, readSummary, end } = await open({});
    await devTools.evaluate("start().then(act)");
    await client.patch(`/browsers/${id}`, { telemetry: RECORDED });
    await expect
      .poll(async () => {
        await devTools.evaluate("act()");
        return new Set(await readSummary());
      })
      .toEqual(new Set(ONE_OF_EACH));
    await end();
  });

  it("do not keep the network of their page from being idle", async () => {
    const { client, id, devTools, readEvents, end } = await open({});
    await client.patch(`/browsers/${id}`, { telemetry: RECORDED });
    const ofPage = async () => (await readEvents()).filter(({ data }) => data?.target_type === "page");
    const fetchIn = (path: string) => devTools.evaluate(`fetch("${path}").then(() => 0)`);
    const indexOf = async (path: string) =>
      (await ofPage()).findIndex(({ data }) => data?.url === `${SITE}${path}`);
    await expect
      .poll(async () => {
        await fetchIn("/recorded");
        return indexOf("/recorded");
      })
      .toBeGreaterThanOrEqual(0);
    await devTools.evaluate("start()");
    await fetchIn("/last");
    await expect
      .poll(async () => (await ofPage()).slice(await indexOf("/last")).map(({ type }) => type))
      .toContain("network_idle");
    await end();
  });

  it("are in the log while it is read", async () => {
    const { client, id, devTools, end } = await open({});
    await devTools.evaluate("start()");
    const log = await LogStream.open(client, id, { source: "supervisor", supervisor_process: "chromium" });
    await devTools.evaluate("act()");
    const kinds = KINDS.filter((kind) => kind !== "nested");
    const expected = kinds.flatMap((kind) => [
      `[log] ${kind} said`,
      `[error] Uncaught Error: ${kind} failed`,
    ]);
    const missing = new Set(expected);
    while (missing.size > 0) {
      const line = (await log.next()) ?? "";
      for (const start of expected) if (line.startsWith(start)) missing.delete(start);
    }
    await end();
  });

  it("are limited together, and those that follow a flood are heard", async () => {
    const { devTools, readEvents, end } = await open({ telemetry: RECORDED });
    const said = async (text: string) =>
      (await readEvents()).filter(({ type, data }) => type === "console_log" && data?.text === text);
    const run = (script: string) => devTools.evaluate(`new Worker("data:text/javascript,${script}"); 0`);
    await devTools.evaluate(`
      for (let i = 0; i < 10; i++) {
        const worker = new Worker("data:text/javascript,for (let i = 0; i < 500; i++) console.log('flood'); postMessage(0)");
        worker.onmessage = () => worker.terminate();
        new Worker("data:text/javascript,console.log('early')").terminate();
      }
      0`);
    await expect.poll(readEvents).toContainEqual(
      expect.objectContaining({
        type: "monitor_events_dropped",
        data: expect.objectContaining({ what: "console" }),
      }),
    );
    await expect
      .poll(async () => {
        await run("console.log('after')");
        return (await said("after")).length;
      })
      .toBeGreaterThan(0);
    expect((await said("flood")).length).toBeLessThan(600);
    await end();
  });
});

describe("a frame of another site", () => {
  it("has events with its own address", async () => {
    const { devTools, readEvents, end } = await open({ telemetry: RECORDED });
    await devTools.evaluate(
      `const frame = document.createElement("iframe"); frame.src = "${FRAME}"; document.body.append(frame); 0`,
    );
    const messages = async () => (await readEvents()).filter(({ data }) => data?.text === "frame said");
    await expect.poll(messages).toMatchObject([{ data: { url: FRAME } }]);
    await end();
  });
});
