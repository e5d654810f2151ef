import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { SessionBody } from "../../../src/features/sessions/session-schema.ts";
import { Connection, type ConnectionTransport } from "../../../src/platform/browser/connection/puppeteer.ts";
import { toOverride } from "../../../src/platform/browser/stealth/stealth.ts";
import { type Client, newClient, openSocket } from "../../api.ts";

/** Reports what a script can see of its browser. */
const REPORT = `(async () => ({
  userAgent: navigator.userAgent,
  appVersion: navigator.appVersion,
  webdriver: navigator.webdriver ?? null,
  hints: await navigator.userAgentData?.getHighEntropyValues(
    ["architecture", "bitness", "formFactors", "fullVersionList", "platformVersion", "uaFullVersion"],
  ) ?? null,
}))()`;

const reportSchema = z.object({
  userAgent: z.string(),
  appVersion: z.string(),
  webdriver: z.boolean().nullable(),
  hints: z.record(z.string(), z.unknown()).nullable(),
});

const HTML = "text/html";
const JAVASCRIPT = "text/javascript";

/** Secure origins that need no network, because the client serves them. */
const SITE: Readonly<Record<string, { type: string; body: string }>> = {
  "https://site.test/": { type: HTML, body: "<!doctype html><title>Site</title>" },
  "https://other.test/frame": {
    type: HTML,
    body: `<!doctype html><script>const report = ${REPORT}; report.then((said) => parent.postMessage(said, "*"))</script>`,
  },
  "https://site.test/dedicated.js": { type: JAVASCRIPT, body: `${REPORT}.then((said) => postMessage(said))` },
  "https://site.test/shared.js": {
    type: JAVASCRIPT,
    body: `const report = ${REPORT};
      onconnect = ({ ports: [port] }) => report.then((said) => port.postMessage(said))`,
  },
  "https://site.test/service.js": {
    type: JAVASCRIPT,
    body: `const report = ${REPORT};
      onmessage = ({ source }) => report.then((said) => source.postMessage(said))`,
  },
};

const frameReport = (attribute: string) => `new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.onload = () => resolve(frame.contentWindow.eval(${JSON.stringify(REPORT)}));
  ${attribute};
  document.body.append(frame);
})`;

/** Page expressions that return the report of every place where scripts run. */
const PLACES: readonly [place: string, expression: string][] = [
  ["the page", REPORT],
  [
    "a new frame before it loads",
    `(() => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    return frame.contentWindow.eval(${JSON.stringify(REPORT)});
  })()`,
  ],
  ["an about:blank frame", frameReport(`frame.src = "about:blank"`)],
  ["a srcdoc frame", frameReport(`frame.srcdoc = "<p>text</p>"`)],
  [
    "a frame of another site",
    `new Promise((resolve) => {
    onmessage = ({ data }) => resolve(data);
    const frame = document.createElement("iframe");
    frame.src = "https://other.test/frame";
    document.body.append(frame);
  })`,
  ],
  ["a new popup before it loads", `open("about:blank").eval(${JSON.stringify(REPORT)})`],
  [
    "a popup",
    `new Promise((resolve) => {
    const popup = open("https://site.test/");
    popup.onload = () => resolve(popup.eval(${JSON.stringify(REPORT)}));
  })`,
  ],
  [
    "a dedicated worker",
    `new Promise((resolve) => {
    new Worker("/dedicated.js").onmessage = ({ data }) => resolve(data);
  })`,
  ],
  [
    "a shared worker",
    `new Promise((resolve) => {
    new SharedWorker("/shared.js").port.onmessage = ({ data }) => resolve(data);
  })`,
  ],
  [
    "a service worker",
    `new Promise(async (resolve) => {
    await navigator.serviceWorker.register("/service.js");
    const { active } = await navigator.serviceWorker.ready;
    navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
    navigator.serviceWorker.startMessages();
    active.postMessage("");
  })`,
  ],
];

class SitePage {
  /** The user agents of the requests for each URL. */
  readonly requests = new Map<string, string[]>();
  readonly #connection: Connection;
  #evaluate: (expression: string) => Promise<unknown> = async () => undefined;

  private constructor(connection: Connection) {
    this.#connection = connection;
  }

  static async open({ cdp_ws_url }: SessionBody): Promise<SitePage> {
    const page = new SitePage(await connect(cdp_ws_url));
    await page.#serve();
    await page.#visit();
    return page;
  }

  evaluate(expression: string): Promise<unknown> {
    return this.#evaluate(expression);
  }

  async report(expression: string): Promise<z.infer<typeof reportSchema>> {
    return reportSchema.parse(await this.evaluate(expression));
  }

  close(): void {
    this.#connection.dispose();
  }

  async #serve(): Promise<void> {
    const connection = this.#connection;
    connection.on("Fetch.requestPaused", ({ requestId, request: { url, headers } }) => {
      this.requests.set(url, [...(this.requests.get(url) ?? []), headers["User-Agent"] ?? ""]);
      const { type, body } = SITE[url] ?? { type: HTML, body: "" };
      connection.send("Fetch.fulfillRequest", {
        requestId,
        responseCode: SITE[url] === undefined ? 404 : 200,
        responseHeaders: [{ name: "content-type", value: type }],
        body: btoa(body),
      });
    });
    await connection.send("Fetch.enable", { patterns: [{ urlPattern: "https://*.test/*" }] });
  }

  async #visit(): Promise<void> {
    const { targetId } = await this.#connection.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.#connection.send("Target.attachToTarget", { targetId, flatten: true });
    const session = this.#connection.session(sessionId);
    if (session === null) throw new Error("The page has no session");
    await session.send("Page.navigate", { url: "https://site.test/" });
    this.#evaluate = async (expression) => {
      const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
        userGesture: true,
      });
      expect(exceptionDetails).toBeUndefined();
      return result.value;
    };
  }
}

async function connect(url: string): Promise<Connection> {
  const socket = await openSocket(url);
  const transport: ConnectionTransport = {
    send: (message) => socket.send(message),
    close: () => socket.close(1000),
  };
  socket.addEventListener("message", ({ data }) => transport.onmessage?.(String(data)));
  return new Connection("", transport);
}

/** Traits of the functions that stealth replaces, seen from their own realm and another. */
const FUNCTION_TRAITS = `(() => {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  const { get } = Object.getOwnPropertyDescriptor(Navigator.prototype, "webdriver");
  const { getParameter } = WebGL2RenderingContext.prototype;
  const stackOf = (call) => {
    try {
      return String(call());
    } catch ({ name, message, stack }) {
      const frames = stack.slice(stack.indexOf("    at")).replaceAll(/:\\d+:\\d+/g, "");
      return [name, message, frames].join(" ");
    }
  };
  const functions = [get, getParameter, Function.prototype.toString, Array.prototype.map];
  return {
    sources: functions.map((each) => each.toString()),
    sourcesFromElsewhere: functions.map((each) => frame.contentWindow.Function.prototype.toString.call(each)),
    anonymous: [new Proxy(() => 1, {}), (() => 1).bind()].map((each) => Function.prototype.toString.call(each)),
    shapes: functions.map(({ name, length }) => [name, length]),
    ownKeys: functions.map((each) => Reflect.ownKeys(each).map(String)),
    ownOfNavigator: Reflect.ownKeys(navigator).map(String),
    ofNavigator: Reflect.ownKeys(Navigator.prototype).map(String),
    descriptors: [[Navigator.prototype, "webdriver"], [Function.prototype, "toString"]].map(([owner, name]) =>
      Object.entries(Object.getOwnPropertyDescriptor(owner, name)).map(([key, value]) => key + typeof value)),
    errors: [
      () => Navigator.prototype.webdriver,
      () => get.call({}),
      () => new get(),
      () => getParameter.call({}, 1),
      () => Function.prototype.toString.call({}),
    ].map(stackOf),
    globals: Object.getOwnPropertyNames(window).filter((key) => !/^\\d+$/.test(key) && !Object.hasOwn(frame.contentWindow, key)),
  };
})()`;

describe("a session with stealth", () => {
  let client: Client;
  let sessions: SessionBody[];
  let stealthy: SitePage;
  let plain: SitePage;

  beforeAll(async () => {
    client = await newClient();
    sessions = await Promise.all([true, false].map((stealth) => client.createSession({ stealth })));
    const [withStealth, without] = await Promise.all(sessions.map(SitePage.open));
    if (withStealth === undefined || without === undefined) throw new Error("The sessions have no pages");
    [stealthy, plain] = [withStealth, without];
  });

  afterAll(async () => {
    for (const page of [stealthy, plain]) page.close();
    await Promise.all(sessions.map(({ session_id }) => client.delete(`/browsers/${session_id}`)));
  });

  it.each(PLACES)("does not reveal a headless browser in %s", async (_, expression) => {
    const report = await stealthy.report(expression);
    expect(report.userAgent).toContain(" Chrome/");
    expect(JSON.stringify(report)).not.toContain("Headless");
    expect(report.webdriver).not.toBe(true);
  });

  it.each(PLACES)("has the same user agent and client hints in %s as in its page", async (_, expression) => {
    const { userAgent, appVersion, hints } = await stealthy.report(REPORT);
    expect(hints).not.toBeNull();
    const report = await stealthy.report(expression);
    expect(report).toMatchObject({ userAgent, appVersion });
    // An about:blank page before its first load has no secure origin, and so no client hints.
    if (report.hints !== null) expect(report.hints).toEqual(hints);
  });

  it("has the version of its user agent in its client hints", async () => {
    const { userAgent, hints } = await stealthy.report(REPORT);
    const major = /Chrome\/(\d+)\./.exec(userAgent)?.[1];
    expect(JSON.stringify(hints?.brands)).toContain(`"version":"${major}"`);
    expect(hints?.uaFullVersion).toMatch(new RegExp(`^${major}\\.`));
  });

  it("requests pages, frames and worker scripts with that user agent", async () => {
    const { userAgent } = await stealthy.report(REPORT);
    for (const [, expression] of PLACES) await stealthy.evaluate(expression);
    // A request for a service worker's script can be seen before its user agent is replaced.
    const urls = Object.keys(SITE).filter((url) => !url.endsWith("/service.js"));
    for (const url of urls) expect(new Set(stealthy.requests.get(url)), url).toEqual(new Set([userAgent]));
  });

  it("looks as native as a session without stealth", async () => {
    expect(await stealthy.evaluate(FUNCTION_TRAITS)).toEqual(await plain.evaluate(FUNCTION_TRAITS));
  });

  it("does not report a software renderer", async () => {
    const renderer = await stealthy.evaluate(`(() => {
      const context = document.createElement("canvas").getContext("webgl");
      const { UNMASKED_RENDERER_WEBGL } = context.getExtension("WEBGL_debug_renderer_info");
      return context.getParameter(UNMASKED_RENDERER_WEBGL);
    })()`);
    expect(renderer).toMatch(/^ANGLE /);
    expect(renderer).not.toMatch(/SwiftShader|llvmpipe/);
  });

  it("leaves a session without stealth unchanged", async () => {
    const report = await plain.report(REPORT);
    expect(report.webdriver).toBe(true);
    expect(report.userAgent).toContain("HeadlessChrome/");
  });
});

it("replaces the headless brand with that of a headed browser", () => {
  const hints = {
    brands: [
      { brand: "HeadlessChrome", version: "131" },
      { brand: "Chromium", version: "131" },
    ],
    fullVersionList: [
      { brand: "HeadlessChrome", version: "131.0.6778.33" },
      { brand: "Chromium", version: "131.0.6778.33" },
    ],
    uaFullVersion: "131.0.6778.33",
    platform: "Linux",
    platformVersion: "",
    architecture: "x86",
    bitness: "64",
    model: "",
    mobile: false,
    wow64: false,
    formFactors: ["Desktop"],
  };
  expect(toOverride("Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/131.0.0.0", hints)).toMatchObject({
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0",
    userAgentMetadata: {
      brands: [
        { brand: "Google Chrome", version: "131" },
        { brand: "Chromium", version: "131" },
      ],
      fullVersionList: [
        { brand: "Google Chrome", version: "131.0.6778.33" },
        { brand: "Chromium", version: "131.0.6778.33" },
      ],
      fullVersion: "131.0.6778.33",
    },
  });
});
