import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type Kernel from "@onkernel/sdk";
import { chromium, type Page } from "playwright-core";
import puppeteer from "puppeteer-core";
import { beforeEach, describe, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { keepForFile } from "../outside/keep-for-file.ts";
import { serveHTTP } from "../outside/local-server.ts";
import { connectPage } from "./connect-page.ts";
import { decodePicture } from "./png.ts";
import { SharedService } from "./shared-service.ts";

// Programs of everyday users that work with a local browser.

const MEBIBYTE = 1024 * 1024;

const UPLOAD_BYTES = 6 * MEBIBYTE;

/** Zeros are the largest body in JSON. */
const UPLOAD = `fetch("/up", { method: "POST", body: new Uint8Array(${UPLOAD_BYTES}) }).then((answer) => answer.text())`;

let session: Kernel.BrowserCreateResponse;
/** Called when an unresponsive tab has started. */
let onBegin: () => void = () => undefined;
/** Responses of `/slow`. */
const slow: ServerResponse[] = [];

const { server, origin } = keepForFile(
  await serveHTTP(async (request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (request.method === "POST") {
      response.end(String((await text(request)).length));
    } else if (request.url === "/frames") {
      response.end(
        `<title>frames</title><iframe src="${otherOrigin}/child"></iframe><iframe src="/child"></iframe>`,
      );
    } else if (request.url === "/never") {
      // It gets no answer.
      onBegin();
    } else if (request.url === "/began") {
      response.end();
      onBegin();
    } else if (request.url === "/busy") {
      response.end(
        "<script>const call = new XMLHttpRequest(); call.open('GET', '/began', false); call.send(); for (;;);</script>",
      );
    } else if (request.url === "/events") {
      response.setHeader("content-type", "text/event-stream");
      response.write(`data: ${"x".repeat(33 * MEBIBYTE)}\n\n`);
    } else if (request.url === "/slow") {
      slow.push(response);
    } else {
      response.end(`<title>${request.url}</title><h1>${request.url}</h1>`);
    }
  }),
);
/** From another site. */
const otherOrigin = origin.replace("127.0.0.1", "localhost");
new WebSocketServer({ server }).on("connection", (socket) => socket.send(Buffer.alloc(25 * MEBIBYTE)));
const service = await SharedService.use();
const kernel = service.kernel();

beforeEach(async () => {
  session = await kernel.browsers.create();
  return () => kernel.browsers.deleteByID(session.session_id);
});

async function withPage<T>(work: (page: Page) => Promise<T>): Promise<T> {
  const { browser, page } = await connectPage(session);
  try {
    return await work(page);
  } finally {
    await browser.close();
  }
}

async function withMCP<T>(
  work: (call: (name: string, args?: object) => Promise<string>) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: "test", version: "1" });
  const url = new URL(`${service.baseURL}/mcp?token=${service.apiKey}`);
  await client.connect(new StreamableHTTPClientTransport(url));
  try {
    return await work(async (name, args = {}) => {
      const { content } = await client.callTool({ name, arguments: { ...args } });
      return JSON.stringify(content);
    });
  } finally {
    await client.close();
  }
}

async function withBidi<T>(work: (page: import("puppeteer-core").Page) => Promise<T>): Promise<T> {
  const browser = await puppeteer.connect({
    browserWSEndpoint: session.webdriver_ws_url ?? "",
    protocol: "webDriverBiDi",
  });
  const [page] = await browser.pages();
  if (page === undefined) throw new Error("the session has no page");
  try {
    return await work(page);
  } finally {
    await browser.disconnect();
  }
}

describe("A page that posts 6 MiB", () => {
  test("is fine with Playwright, which still sees smaller bodies", async () => {
    await withPage(async (page) => {
      const bodies: (number | undefined)[] = [];
      page.on("request", (request) => bodies.push(request.postDataBuffer()?.length));
      await page.goto(origin);
      expect(await page.evaluate(UPLOAD)).toBe(String(UPLOAD_BYTES));
      await page.evaluate('fetch("/up", { method: "POST", body: "small" }).then((answer) => answer.text())');
      expect(bodies.at(-1)).toBe(5);
    });
  });

  test("is fine with Puppeteer", async () => {
    const browser = await puppeteer.connect({ browserWSEndpoint: session.cdp_ws_url });
    const page = await browser.newPage();
    await page.goto(origin);
    expect(await page.evaluate(UPLOAD)).toBe(String(UPLOAD_BYTES));
    await browser.disconnect();
  });

  test("is fine with WebDriver BiDi", async () => {
    await withBidi(async (page) => {
      await page.goto(origin);
      expect(await page.evaluate(UPLOAD)).toBe(String(UPLOAD_BYTES));
    });
  });

  test("is fine with code beside the browser", async () => {
    const code = `await page.goto("${origin}"); return page.evaluate(${JSON.stringify(UPLOAD)})`;
    const { result } = await kernel.browsers.playwright.execute(session.session_id, { code });
    expect(result).toBe(String(UPLOAD_BYTES));
  });

  test("is fine with MCP", async () => {
    await withMCP(async (call) => {
      await call("browser_navigate", { url: origin });
      expect(await call("browser_evaluate", { function: `() => ${UPLOAD}` })).toContain(String(UPLOAD_BYTES));
    });
  });
});

describe("Going back", () => {
  test("and forward loads the page and its frames with Playwright", async () => {
    await withPage(async (page) => {
      await page.goto(`${origin}/frames`);
      await page.goto(`${origin}/2`);
      await page.goBack();
      expect(await page.title()).toBe("frames");
      await expect
        .poll(() =>
          page
            .frames()
            .map((frame) => frame.url())
            .toSorted(),
        )
        .toEqual([`${origin}/child`, `${origin}/frames`, `${otherOrigin}/child`].toSorted());
      const child = page.frames().find((frame) => frame.url() === `${otherOrigin}/child`);
      expect(await child?.textContent("h1")).toBe("/child");
      await page.goForward();
      expect(await page.title()).toBe("/2");
      await Promise.all([page.waitForURL(`${origin}/frames`), page.evaluate("history.back()")]);
    });
  });

  test("works with WebDriver BiDi", async () => {
    await withBidi(async (page) => {
      await page.goto(`${origin}/1`);
      await page.goto(`${origin}/2`);
      await page.goBack();
      expect(await page.title()).toBe("/1");
    });
  });

  test("works with MCP", async () => {
    await withMCP(async (call) => {
      await call("browser_navigate", { url: `${origin}/1` });
      await call("browser_navigate", { url: `${origin}/2` });
      expect(await call("browser_navigate_back")).toContain(`${origin}/1`);
    });
  });
});

describe("What is too large for a message", () => {
  test.each([
    ["a console message", "console.log('x'.repeat(33 * 2 ** 20))", undefined],
    [
      "a frame of a WebSocket",
      "new Promise((resolve) => { new WebSocket('/').onmessage = ({ data }) => resolve(data.size); })",
      25 * MEBIBYTE,
    ],
    [
      "a message of an EventSource",
      "new Promise((resolve) => { new EventSource('/events').onmessage = ({ data }) => resolve(data.length); })",
      33 * MEBIBYTE,
    ],
  ])("is left out, and named in the console: %s", async (_, code, result) => {
    await withPage(async (page) => {
      await page.goto(`${origin}/1`);
      const named = page.waitForEvent("console", (message) => message.text().includes("MiB"));
      expect(await page.evaluate(code)).toBe(result);
      expect((await named).type()).toBe("warning");
      expect(await page.title()).toBe("/1");
    });
  });

  test("is refused as an answer", async () => {
    await withPage(async (page) => {
      await page.goto(`${origin}/1`);
      await expect(page.evaluate("'x'.repeat(33 * 2 ** 20)")).rejects.toThrow(/33 MiB/);
      expect(await page.title()).toBe("/1");
    });
  });
});

test("A download is at the path that Playwright tells, on the session's machine", async () => {
  await withPage(async (page) => {
    await page.setContent("<a download='a b.txt' href='data:text/plain,pear'>get</a>");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("a")]);
    const path = await download.path();
    const file = await kernel.browsers.fs.readFile(session.session_id, { path });
    expect(await file.text()).toBe("pear");
    await expect(download.saveAs("/tmp/never")).rejects.toThrow("ENOENT");
  });
});

test("A page that has printed can be saved as a PDF", async () => {
  await withPage(async (page) => {
    await page.goto(`${origin}/1`);
    const printed = page.evaluate(
      "new Promise((resolve) => { onafterprint = () => resolve(true); print(); })",
    );
    expect(await printed).toBe(true);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe("%PDF-");
  });
});

test.each([
  [
    "a popup",
    async (page: Page) => {
      const open = "void window.open('about:blank', '', 'width=400,height=300')";
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.evaluate(open)]);
      return popup;
    },
  ],
  [
    "a page of another context",
    async (page: Page) => {
      const context = await page.context().browser()?.newContext();
      return context?.newPage();
    },
  ],
])("The computer shows the page that a client brings to the front, not %s", async (_, open) => {
  await withPage(async (page) => {
    await page.goto(`${origin}/1`);
    await page.evaluate("document.body.style.background = '#ff0000'");
    const shownColor = async () => {
      const shot = await kernel.browsers.computer.captureScreenshot(session.session_id);
      return decodePicture(Buffer.from(await shot.arrayBuffer())).pixel(0, 0);
    };
    const other = await open(page);
    await page.bringToFront();
    expect(await shownColor()).toBe("#ff0000");
    await other?.bringToFront();
    expect(await shownColor()).toBe("#ffffff");
  });
});

describe("A click on a link to a slow page", () => {
  test("is reported as a click by MCP, with what is still loading", async () => {
    await withMCP(async (call) => {
      const page = `data:text/html,<a href="${origin}/slow">buy</a>`;
      const shown = await call("browser_navigate", { url: page });
      const ref = /link \\"buy\\".*?\[ref=(e\d+)\]/.exec(shown)?.[1];
      const clicked = await call("browser_click", { element: "buy", ref });
      expect(clicked).toContain(`The page is still loading ${origin}/slow`);
      expect(slow).toHaveLength(1);
      expect(await call("browser_snapshot")).toContain("still loading");
      slow[0]?.end("<title>Bought</title>");
      const bought = await call("browser_wait_for", { time: 1 });
      expect(bought).toContain("Bought");
      expect(bought).not.toContain("still loading");
    });
  });
});

describe.each([
  ["runs for ever", "/busy"],
  ["never answers", "/never"],
])("A second tab that %s", (_, address) => {
  const openTab = async () => {
    const client = await puppeteer.connect({ browserWSEndpoint: session.cdp_ws_url });
    const url = `${origin}${address}`;
    const began = Promise.withResolvers<void>();
    onBegin = began.resolve;
    const devTools = await client.target().createCDPSession();
    await devTools.send("Target.createTarget", { url });
    await began.promise;
    await client.disconnect();
    return url;
  };

  test("is left out by code beside the browser, which says so", async () => {
    const url = await openTab();
    const code = "await page.setContent('<title>mine</title>'); return page.title()";
    const { result, stderr } = await kernel.browsers.playwright.execute(session.session_id, { code });
    expect(result).toBe("mine");
    expect(stderr).toContain("do not respond");
    expect(stderr).toContain(url.slice(0, 30));
  });

  test("is left out by Playwright with skip_hung_tabs", async () => {
    await openTab();
    const browser = await chromium.connectOverCDP(`${session.cdp_ws_url}&skip_hung_tabs=true`);
    expect(browser.contexts()[0]?.pages()).toHaveLength(1);
    await browser.close();
  });

  test("can be listed and closed by MCP", async () => {
    await openTab();
    await withMCP(async (call) => {
      const browser = { session_id: session.session_id };
      expect(await call("browser_snapshot", browser)).toContain("does not respond");
      expect(await call("browser_tabs", { ...browser, action: "list" })).toContain("1: (does not respond)");
      expect(await call("browser_tabs", { ...browser, action: "close", index: 1 })).not.toContain(
        "does not respond",
      );
    });
    await withPage(async (page) => expect(page.context().pages()).toHaveLength(1));
  });
});
