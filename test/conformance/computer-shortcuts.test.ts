import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keepForFile } from "../outside/keep-for-file.ts";
import { recordingPage, servePages } from "./computer-pages.ts";
import { ComputerSession, type PageView } from "./computer-session.ts";
import { SharedService } from "./shared-service.ts";

/** Resolves when the browser aborts its request for `/never`. */
let aborted: PromiseWithResolvers<void>;

const PAGES = {
  "/one": recordingPage("<title>One</title>"),
  "/two": recordingPage("<title>Two</title>"),
  "/three": recordingPage("<title>Three</title>"),
  "/home": recordingPage("<title>Home</title>"),
  "/text": recordingPage('<textarea id="text" autofocus></textarea>'),
  "/box": recordingPage(
    '<div class="at" style="left: 0; top: 0; width: 100px; height: 100px; background: #ff0000">',
  ),
  "/find": recordingPage(
    `<p id="first">hay hay needle hay</p><p id="second">hay Needle hay</p><textarea id="text"></textarea>`,
  ),
  "/greedy": recordingPage('<textarea id="text" autofocus></textarea>', { preventsDefault: true }),
  "/print": recordingPage(
    `<textarea id="text" autofocus></textarea>
     <script>let printed = 0; window.print = () => { printed += 1 }; onbeforeprint = () => { printed += 1 }</script>`,
  ),
  "/never": (response: { on(event: "close", listener: () => void): unknown }) => {
    response.on("close", () => aborted.resolve());
  },
};

let session: ComputerSession;
let page: PageView;

const service = await SharedService.use();
const site = keepForFile(await servePages(PAGES));

/** Shares a session among the tests of a group; each starts with a new tab. */
function shareSession(): void {
  beforeAll(async () => {
    session = await ComputerSession.open(service, { start_url: at("/home") });
    return () => session[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    page = await session.newPage(at("/one"));
    await session.closeOtherTabs(page);
  });
}

function at(path: keyof typeof PAGES): string {
  return site.origin + path;
}

async function open(path: keyof typeof PAGES): Promise<void> {
  await page.open(at(path));
}

function requestsOf(path: keyof typeof PAGES) {
  return site.requests.filter((request) => request.path === path);
}

describe("tabs", () => {
  shareSession();
  /** Opens three tabs, the third in the foreground. */
  async function openThree(): Promise<PageView[]> {
    await page.goto(at("/one"));
    return [page, await session.newPage(at("/two")), await session.newPage(at("/three"))];
  }

  /** Paths of the pages that receive a key. */
  async function receivers(pages: PageView[]): Promise<unknown[]> {
    for (const each of pages) await each.takeEvents();
    await session.press("x");
    const paths: unknown[] = [];
    for (const each of pages) {
      const events = await each.takeEvents("keydown");
      if (events.length > 0) paths.push(await each.evaluate("location.pathname"));
    }
    return paths;
  }

  test.each(["Ctrl+t", "Ctrl+n"])("%s opens one with a focused address bar", async (keys) => {
    await open("/text");
    await session.press(keys);
    expect(await session.urls()).toEqual(["about:blank", at("/text")].sort());
    await session.type(at("/two"));
    await session.press("Return");
    const opened = await session.page(at("/two"));
    await opened.waitForLoad();
    expect(await page.evaluate("text.value")).toBe("");
    expect(await receivers([page, opened])).toEqual(["/two"]);
  });

  test.each(["Ctrl+w", "Ctrl+F4"])("%s closes the active one", async (keys) => {
    const [one, two] = await openThree();
    if (one === undefined || two === undefined) throw new Error("There are no tabs");
    await session.press(keys);
    expect(await session.urls()).toEqual([at("/one"), at("/two")].sort());
    expect(await receivers([one, two])).toEqual(["/two"]);
  });

  test("closing the last one opens a new one", async () => {
    await session.press("Ctrl+w");
    await session.press("Ctrl+l");
    await session.type(at("/two"));
    await session.press("Return");
    const next = await session.page(at("/two"));
    await next.waitForLoad();
    expect(await receivers([next])).toEqual(["/two"]);
  });

  test("Ctrl+Tab, Ctrl+Shift+Tab, Page_Down and Page_Up cycle through them", async () => {
    const pages = await openThree();
    const path: unknown[] = [];
    for (const keys of ["Ctrl+Tab", "Ctrl+Page_Down", "Ctrl+Shift+Tab", "Ctrl+Page_Up", "Ctrl+Page_Up"]) {
      await session.press(keys);
      path.push(...(await receivers(pages)));
    }
    expect(path).toEqual(["/one", "/two", "/one", "/three", "/two"]);
  });

  test("Ctrl+1 to 9 and Alt+1 to 9 select one, 9 the last", async () => {
    const pages = await openThree();
    const path: unknown[] = [];
    for (const keys of ["Ctrl+1", "Ctrl+2", "Ctrl+3", "Alt+1", "Ctrl+9", "Ctrl+KP_2", "Ctrl+8", "Alt+9"]) {
      await session.press(keys);
      path.push(...(await receivers(pages)));
    }
    expect(path).toEqual(["/one", "/two", "/three", "/one", "/three", "/two", "/two", "/three"]);
  });

  test("a page cannot intercept Ctrl+t", async () => {
    await open("/greedy");
    await session.press("Ctrl+t");
    expect(await session.urls()).toEqual(["about:blank", at("/greedy")].sort());
    expect((await page.takeEvents()).filter((event) => event.includes("KeyT"))).toEqual([]);
  });
});

describe("history and loading", () => {
  shareSession();
  test.each(["F5", "Ctrl+r", "XF86Reload"])("%s reloads", async (keys) => {
    await open("/one");
    const before = requestsOf("/one").length;
    await page.evaluate("globalThis.isOld = true");
    await session.press(keys);
    await page.waitForTrue("globalThis.isOld === undefined && document.readyState === 'complete'");
    expect(requestsOf("/one")).toHaveLength(before + 1);
    expect(requestsOf("/one").at(-1)?.headers["cache-control"]).not.toBe("no-cache");
  });

  test.each(["Ctrl+Shift+r", "Ctrl+F5", "Shift+F5"])("%s bypasses the cache", async (keys) => {
    await open("/one");
    await page.evaluate("globalThis.isOld = true");
    await session.press(keys);
    await page.waitForTrue("globalThis.isOld === undefined && document.readyState === 'complete'");
    expect(requestsOf("/one").at(-1)?.headers["cache-control"]).toBe("no-cache");
  });

  test.each([
    ["Alt+Left", "Alt+Right"],
    ["XF86Back", "XF86Forward"],
  ])("%s goes back, %s forward", async (back, forward) => {
    await open("/one");
    await open("/two");
    await session.press(back);
    await page.waitForTrue("location.pathname === '/one' && document.readyState === 'complete'");
    await session.press(forward);
    await page.waitForTrue("location.pathname === '/two' && document.readyState === 'complete'");
    await session.press(forward);
    expect(await page.evaluate("location.pathname")).toBe("/two");
  });

  test.each(["Alt+Home", "XF86HomePage"])("%s goes to start_url", async (keys) => {
    await open("/one");
    await session.press(keys);
    await page.waitForTrue("location.pathname === '/home'");
  });

  test("XF86Stop stops loading", async () => {
    aborted = Promise.withResolvers();
    await open("/one");
    await page.evaluate("location.href = '/never'");
    await expect.poll(() => requestsOf("/never").length).toBe(1);
    await session.press("XF86Stop");
    await aborted.promise;
    expect(await page.evaluate("location.pathname")).toBe("/one");
  });
});

describe("zoom", () => {
  shareSession();
  const RED = "#ff0000";

  /** Width of the red box in the screenshot. */
  async function boxWidth(): Promise<number> {
    const picture = await session.screenshot({ x: 0, y: 0, width: 400, height: 10 });
    let width = 0;
    while (width < picture.width && picture.pixel(width, 5) === RED) width += 1;
    return width;
  }

  test.each([
    ["Ctrl+plus", "Ctrl+minus", "Ctrl+0"],
    ["Ctrl+equal", "Ctrl+underscore", "Ctrl+KP_0"],
    ["Ctrl+KP_Add", "Ctrl+KP_Subtract", "Ctrl+0"],
    ["XF86ZoomIn", "XF86ZoomOut", "Ctrl+0"],
  ])("%s zooms in, %s zooms out, %s resets", async (larger, smaller, reset) => {
    await open("/box");
    expect(await boxWidth()).toBe(100);
    await session.press(larger);
    const once = await boxWidth();
    expect(once).toBeGreaterThan(105);
    await session.press(larger);
    expect(await boxWidth()).toBeGreaterThan(once);
    await session.press(smaller);
    expect(await boxWidth()).toBe(once);
    await session.press(reset);
    expect(await boxWidth()).toBe(100);
    await session.press(smaller);
    expect(await boxWidth()).toBeLessThan(95);
    await session.press(reset);
    expect(await boxWidth()).toBe(100);
  });

  test("persists across reloads and navigation", async () => {
    await open("/one");
    await session.press("Ctrl+plus", "Ctrl+plus", "Ctrl+plus");
    await open("/box");
    expect(await boxWidth()).toBe(150);
    await page.send("Page.reload");
    await expect.poll(boxWidth).toBe(150);
    await session.press("Ctrl+0");
    expect(await boxWidth()).toBe(100);
  });
});

describe("editing", () => {
  shareSession();
  beforeEach(() => open("/text"));

  const text = () => page.evaluate("text.value");

  test.each([
    ["Ctrl+c", "Ctrl+v"],
    ["Ctrl+Insert", "Shift+Insert"],
    ["XF86Copy", "XF86Paste"],
    ["Ctrl+c", "Ctrl+Shift+v"],
  ])("Ctrl+a selects all, %s copies, %s pastes", async (copy, paste) => {
    await session.type("grüße ");
    await session.press("Ctrl+a", copy, "Right", paste, paste);
    expect(await text()).toBe("grüße grüße grüße ");
  });

  test.each(["Ctrl+x", "Shift+Delete", "XF86Cut"])("%s cuts", async (cut) => {
    await session.type("scissors");
    await session.press("Ctrl+a", cut);
    expect(await text()).toBe("");
    expect(await session.readClipboard()).toBe("scissors");
  });

  test.each([
    ["Ctrl+z", "Ctrl+Shift+z"],
    ["Ctrl+z", "Ctrl+y"],
    ["Undo", "Redo"],
  ])("%s undoes, %s redoes", async (undo, redo) => {
    await session.type("all");
    await session.press("Ctrl+a", "BackSpace");
    expect(await text()).toBe("");
    await session.press(undo);
    expect(await text()).toBe("all");
    await session.press(redo);
    expect(await text()).toBe("");
  });
});

describe("the address bar", () => {
  shareSession();
  test.each(["Ctrl+l", "Alt+d", "F6"])("%s focuses it, and Return opens the address", async (keys) => {
    await open("/text");
    await session.press(keys);
    await session.type(at("/two"));
    await session.press("Return");
    await page.waitForTrue("location.pathname === '/two' && document.readyState === 'complete'");
    await session.press("x");
    expect(await page.takeEvents("keydown")).toEqual(["keydown x KeyX 88 0"]);
  });

  test("accepts a host without a scheme, and a typed line break as Return", async () => {
    await open("/text");
    await session.press("Ctrl+l");
    await session.type(`${at("/two").replace("http://127.0.0.1", "localhost")}\n`);
    await page.waitForTrue("location.hostname === 'localhost' && location.pathname === '/two'");
  });

  test("accepts pasted text and editing keys", async () => {
    await session.writeClipboard(`${at("/two")}no`);
    await session.press("Ctrl+l", "Ctrl+v", "BackSpace", "BackSpace", "Return");
    await page.waitForTrue("location.pathname === '/two'");
  });

  test.each([
    ["Escape", () => session.press("Escape")],
    ["a click", () => session.click(5, 5)],
  ])("returns the focus to the page on %s", async (_, leave) => {
    await open("/text");
    await session.press("Ctrl+l");
    await session.type("not for the page");
    await leave();
    await page.evaluate("text.focus()");
    await session.type("for the page");
    expect(await page.evaluate("text.value")).toBe("for the page");
    expect(await page.evaluate("location.pathname")).toBe("/text");
  });

  test("hides its input from the page", async () => {
    await open("/text");
    await session.press("Ctrl+l");
    await page.takeEvents();
    await session.type("secret");
    await session.press("a", "Left", "BackSpace");
    // The release of the shortcut may arrive late.
    expect((await page.takeEvents()).filter((event) => !event.startsWith("keyup Control"))).toEqual([]);
    expect(await page.evaluate("text.value")).toBe("");
  });
});

describe("find", () => {
  shareSession();
  beforeEach(() => open("/find"));

  const selection = () =>
    page.evaluate("getSelection().toString() + ' ' + getSelection().anchorNode?.parentElement?.id");

  test.each(["Ctrl+f", "Find"])(
    "%s selects the next match on Return, and the previous one on Shift+Return",
    async (keys) => {
      await session.press(keys);
      await session.type("needle");
      await session.press("Return");
      expect(await selection()).toBe("needle first");
      await session.press("Return");
      expect(await selection()).toBe("Needle second");
      await session.press("Shift+Return");
      expect(await selection()).toBe("needle first");
      await session.press("Escape");
      await page.evaluate("text.focus()");
      await session.type("back");
      expect(await page.evaluate("text.value")).toBe("back");
    },
  );

  test.each([
    ["Ctrl+g", "Ctrl+Shift+g"],
    ["F3", "Shift+F3"],
  ])("%s finds the next match, %s the previous one", async (next, previous) => {
    await session.press("Ctrl+f");
    await session.type("needle\n");
    await session.press("Escape", next);
    expect(await selection()).toBe("Needle second");
    await session.press(previous);
    expect(await selection()).toBe("needle first");
  });

  test("accepts another text when there is no match", async () => {
    await session.press("Ctrl+f");
    await session.type("pitchfork\n");
    expect(await page.evaluate("getSelection().toString()")).toBe("");
    await session.press("Ctrl+a");
    await session.type("Needle\n");
    expect(await selection()).toMatch(/^needle/i);
  });
});

describe("a page that prevents default actions", () => {
  shareSession();
  test.each(["Ctrl+f", "Ctrl+k", "Ctrl+l", "F6", "Ctrl+p", "F3"])(
    "overrides %s and keeps the focus",
    async (keys) => {
      await open("/greedy");
      // Repeated, because whether the page prevented the default could be a race.
      for (let turn = 0; turn < 4; turn += 1) {
        await session.press(keys);
        await session.type("z");
        const down = await page.takeEvents("keydown");
        expect(down.at(-1), `turn ${turn}`).toBe("keydown z KeyZ 90 0");
      }
    },
  );

  test("overrides reload, back and zoom", async () => {
    await open("/one");
    await open("/greedy");
    await page.evaluate("globalThis.isOld = true");
    for (let turn = 0; turn < 3; turn += 1) await session.press("F5", "Alt+Left", "Ctrl+r", "Ctrl+plus");
    await session.press("z");
    expect(await page.evaluate("globalThis.isOld")).toBe(true);
    expect((await page.takeEvents("keydown")).at(-1)).toBe("keydown z KeyZ 90 0");
  });
});

describe("unsupported shortcuts", () => {
  shareSession();

  test("print is ignored and does not block input", async () => {
    await open("/print");
    await session.press("Ctrl+p");
    await session.type("after");
    expect(await page.evaluate("text.value")).toBe("after");
    expect(await page.evaluate("printed")).toBe(0);
    expect((await session.screenshot()).width).toBe(1024);
  });

  test("those of a desktop window are ignored and do not block input", async () => {
    await open("/text");
    const combinations =
      "Ctrl+Shift+n Ctrl+Shift+t Ctrl+Shift+w Ctrl+Shift+q Alt+F4 Ctrl+s Ctrl+o Ctrl+u Ctrl+d Ctrl+h Ctrl+j F11 F12 " +
      "Ctrl+Shift+i Ctrl+Shift+j Ctrl+Shift+c Ctrl+Shift+b Ctrl+Shift+d Ctrl+Shift+o Ctrl+Shift+Delete Shift+Escape";
    await session.press(...combinations.split(" "));
    await session.type("after");
    expect(await page.evaluate("text.value")).toBe("after");
    expect(await session.urls()).toEqual([at("/text")]);
    const { width, height } = await session.screenshot();
    expect({ width, height }).toEqual({ width: 1024, height: 768 });
  });
});
