import { z } from "zod";
import { pause } from "../../../lib/common/concurrency.ts";
import { MAX_WINDOW_SIZE } from "../../../platform/browser/index.ts";
import { findElements, useElement } from "../../../platform/page-scripts/bundled.js";
import { parse, timeoutsSchema } from "./capabilities.ts";
import { type Driver, ELEMENT_KEY, SHADOW_KEY } from "./driver.ts";
import { WebDriverError } from "./errors.ts";
import { toKeyActions } from "./key-actions.ts";

const FIND_INTERVAL_MS = 100;

/** The client's actions may take a while. */
const ACTIONS_LIMIT = { ms: 600_000, code: "timeout" };

const anything = z.looseObject({});
const elementSchema = z.object({ [ELEMENT_KEY]: z.string() });
const locatorSchema = z.object({
  using: z.enum(["css selector", "link text", "partial link text", "tag name", "xpath"]),
  value: z.string(),
});
const scriptSchema = z.object({ script: z.string(), args: z.array(z.unknown()) });
const frameSchema = z.object({ id: z.union([z.null(), z.int(), elementSchema]) });
const sideSchema = z.number().min(0).max(MAX_WINDOW_SIZE).nullish();
const sizeSchema = z.object({ width: sideSchema, height: sideSchema });
const cookieSchema = z.object({
  name: z.string(),
  value: z.string(),
  path: z.string(),
  domain: z.string(),
  secure: z.boolean(),
  httpOnly: z.boolean(),
  sameSite: z.enum(["Strict", "Lax", "None"]).optional(),
});
const cookiesSchema = z.array(cookieSchema.extend({ expires: z.number() }));
const givenCookieSchema = cookieSchema
  .partial()
  .required({ name: true, value: true })
  .extend({ expiry: z.int().optional() });
const dataSchema = z.object({ data: z.string() });

type Run<Body> = (driver: Driver, body: Body, ...parameters: string[]) => Promise<unknown>;

export interface Command {
  /** Such as `POST element/:id/click`. */
  route: string;
  run: Run<unknown>;
}

function command<S extends z.ZodType>(route: string, schema: S, run: Run<z.infer<S>>): Command {
  return { route, run: async (driver, body, ...rest) => run(driver, parse(schema, body ?? {}), ...rest) };
}

function simple(route: string, run: (driver: Driver, ...parameters: string[]) => Promise<unknown>): Command {
  return { route, run: (driver, _, ...parameters) => run(driver, ...parameters) };
}

export const COMMANDS: readonly Command[] = [
  simple("GET timeouts", async ({ state }) => state.timeouts),
  command("POST timeouts", timeoutsSchema, async (driver, change) =>
    driver.update({ timeouts: { ...driver.state.timeouts, ...change } }),
  ),

  command("POST url", z.object({ url: z.string() }), (driver, body) => driver.navigate("navigate", body)),
  simple("GET url", async (driver) => (await driver.readTree(driver.window)).url),
  simple("GET title", (driver) => driver.call("() => document.title")),
  simple("GET source", (driver) => driver.call("() => document.documentElement.outerHTML")),
  simple("POST back", (driver) => traverse(driver, -1)),
  simple("POST forward", (driver) => traverse(driver, 1)),
  simple("POST refresh", (driver) => driver.navigate("reload", {})),

  simple("GET window", async (driver) => (await driver.readTree(driver.window)).context),
  simple("GET window/handles", (driver) => driver.windows()),
  command("POST window", z.object({ handle: z.string() }), async (driver, { handle }) => {
    await driver.bidi.send("browsingContext.activate", { context: handle });
    driver.update({ window: handle, frame: undefined });
  }),
  command("POST window/new", z.object({ type: z.string().nullish() }), async (driver, body) => {
    const type = body.type === "window" ? "window" : "tab";
    return { handle: await driver.newWindow(type), type };
  }),
  simple("DELETE window", async (driver) => {
    await driver.bidi.send("browsingContext.close", { context: driver.window });
    return driver.windows();
  }),
  simple("GET window/rect", readWindow),
  command("POST window/rect", sizeSchema, async (driver, { width, height }) => {
    const { windowId } = await driver.cdp("Browser.getWindowForTarget", {});
    const bounds = { width: width ?? undefined, height: height ?? undefined };
    await driver.cdp("Browser.setWindowBounds", { windowId, bounds });
    return readWindow(driver);
  }),
  // The windows of a session are as large as its screen.
  ...["maximize", "minimize", "fullscreen"].map((state) => simple(`POST window/${state}`, readWindow)),

  command("POST frame", frameSchema, async (driver, { id }) => {
    const find = () =>
      typeof id === "number"
        ? driver.findFrame("(index) => window[index]", { type: "number", value: id })
        : driver.findFrame("(element) => element.contentWindow", { sharedId: id?.[ELEMENT_KEY] });
    driver.update({ frame: id === null ? undefined : await find() });
  }),
  simple("POST frame/parent", async (driver) => {
    const { parent } = await driver.readTree(driver.context);
    driver.update({ frame: parent === driver.window ? undefined : (parent ?? undefined) });
  }),

  simple("GET element/active", (driver) => driver.call("() => document.activeElement")),
  ...[
    { path: "", toRoot: () => [] },
    { path: "element/:id/", toRoot: (id = "") => [toElement(id)] },
    { path: "shadow/:id/", toRoot: (id = "") => [{ [SHADOW_KEY]: id }] },
  ].flatMap(({ path, toRoot }) => [
    command(`POST ${path}elements`, locatorSchema, (driver, locator, id) =>
      find(driver, locator, toRoot(id)),
    ),
    command(`POST ${path}element`, locatorSchema, async (driver, locator, id) => {
      const [first] = await find(driver, locator, toRoot(id));
      if (first !== undefined) return first;
      throw new WebDriverError("no such element", `no element for ${locator.using}: ${locator.value}`);
    }),
  ]),
  ...[
    "attribute/:name",
    "css/:name",
    "displayed",
    "enabled",
    "name",
    "rect",
    "selected",
    "shadow",
    "text",
  ].map((state) =>
    simple(`GET element/:id/${state}`, (driver, id, name) =>
      use(driver, id, state.replace("/:name", ""), name),
    ),
  ),
  simple("GET element/:id/property/:name", (driver, id, name) =>
    driver.execute("return arguments[0][arguments[1]]", [toElement(id), name], false),
  ),
  simple("POST element/:id/click", async (driver, id) => {
    if (await use(driver, id, "click")) {
      const origin = { type: "element", element: { sharedId: id } };
      const press = ["pointerDown", "pointerUp"].map((type) => ({ type, button: 0 }));
      await perform(driver, "pointer", [{ type: "pointerMove", x: 0, y: 0, origin }, ...press]);
    }
    await driver.react();
  }),
  command("POST element/:id/value", z.object({ text: z.string() }), async (driver, { text }, id) => {
    const kind = await use(driver, id, "type");
    if (kind !== "file") await perform(driver, "key", toKeyActions(text));
    else {
      const params = { context: driver.context, element: { sharedId: id }, files: text.split("\n") };
      await driver.bidi.send("input.setFiles", params);
    }
    await driver.react();
  }),
  simple("POST element/:id/clear", (driver, id) => use(driver, id, "clear")),

  command("POST actions", z.object({ actions: z.array(anything) }), async (driver, { actions }) => {
    const toOrigin = (key: string, value: unknown) => {
      const reference = key === "origin" ? elementSchema.safeParse(value).data : undefined;
      return reference ? { type: "element", element: { sharedId: reference[ELEMENT_KEY] } } : value;
    };
    const params = { context: driver.context, actions: JSON.parse(JSON.stringify(actions), toOrigin) };
    await driver.bidi.send("input.performActions", params, ACTIONS_LIMIT);
    await driver.react();
  }),
  simple("DELETE actions", async (driver) => {
    await driver.bidi.send("input.releaseActions", { context: driver.context });
  }),
  ...["sync", "async"].map((kind) =>
    command(`POST execute/${kind}`, scriptSchema, (driver, { script, args }) =>
      driver.execute(script, args, kind === "async"),
    ),
  ),

  simple("GET cookie", listCookies),
  simple("GET cookie/:name", async (driver, name) => {
    const cookie = (await listCookies(driver)).find((each) => each.name === name);
    if (cookie !== undefined) return cookie;
    throw new WebDriverError("no such cookie", `no cookie ${name}`);
  }),
  command("POST cookie", z.object({ cookie: givenCookieSchema }), async (driver, { cookie }) => {
    const { expiry: expires, ...rest } = cookie;
    const { success } = await driver.cdp("Network.setCookie", {
      ...rest,
      expires,
      url: await cookieURL(driver),
    });
    if (success !== true) throw new WebDriverError("unable to set cookie", "the browser refused the cookie");
  }),
  simple("DELETE cookie/:name", deleteCookie),
  simple("DELETE cookie", async (driver) => {
    for (const { name } of await listCookies(driver)) await deleteCookie(driver, name);
  }),

  simple("GET screenshot", (driver) => produce(driver, "captureScreenshot", {})),
  simple("GET element/:id/screenshot", async (driver, id) => {
    await use(driver, id, "screenshot");
    const clip = { type: "element", element: { sharedId: id } };
    return produce(driver, "captureScreenshot", { context: driver.context, clip });
  }),
  command("POST print", anything, (driver, body) => produce(driver, "print", body)),

  simple("POST alert/accept", (driver) => driver.closePrompt(true)),
  simple("POST alert/dismiss", (driver) => driver.closePrompt(false)),
  simple("GET alert/text", async (driver) => driver.requirePrompt().message),
  command("POST alert/text", z.object({ text: z.string() }), async (driver, { text }) => {
    driver.requirePrompt().text = text;
  }),

  command("POST goog/cdp/execute", z.object({ cmd: z.string(), params: anything }), (driver, body) =>
    driver.cdp(body.cmd, body.params),
  ),
];

function toElement(id = "") {
  return { [ELEMENT_KEY]: id };
}

function use(driver: Driver, id: string | undefined, purpose: string, name = ""): Promise<unknown> {
  return driver.call(useElement, toElement(id), purpose, name);
}

async function traverse(driver: Driver, delta: number): Promise<void> {
  driver.update({ frame: undefined });
  const params = { context: driver.window, delta };
  await driver.bidi.send("browsingContext.traverseHistory", params).catch((error) => {
    // At the end of the history, nothing happens.
    if (!(error instanceof WebDriverError) || error.code !== "no such history entry") throw error;
  });
  await driver.react();
}

function readWindow(driver: Driver): Promise<unknown> {
  return driver.call("() => ({ x: screenX, y: screenY, width: outerWidth, height: outerHeight })");
}

/** Waits for the implicit time-out. */
async function find(driver: Driver, { using, value }: z.infer<typeof locatorSchema>, root: object[]) {
  const deadline = Date.now() + driver.state.timeouts.implicit;
  while (true) {
    const found = z.array(elementSchema).parse(await driver.call(findElements, using, value, ...root));
    if (found.length > 0 || Date.now() >= deadline) return found;
    await pause(FIND_INTERVAL_MS);
  }
}

/** Uses a new device: with the same mouse, two quick clicks would be a double click. */
async function perform(driver: Driver, type: "key" | "pointer", actions: object[]): Promise<void> {
  const params = { context: driver.context, actions: [{ type, id: crypto.randomUUID(), actions }] };
  await driver.bidi.send("input.performActions", params, ACTIONS_LIMIT);
}

async function cookieURL(driver: Driver): Promise<string> {
  const { url } = await driver.readTree(driver.context);
  if (/^https?:/.test(url)) return url;
  throw new WebDriverError("invalid cookie domain", "the page can have no cookies");
}

async function listCookies(driver: Driver) {
  const { cookies } = await driver.cdp("Network.getCookies", {});
  return cookiesSchema
    .parse(cookies)
    .map(({ expires, ...cookie }) => (expires < 0 ? cookie : { ...cookie, expiry: Math.floor(expires) }));
}

async function deleteCookie(driver: Driver, name: string | undefined): Promise<void> {
  await driver.cdp("Network.deleteCookies", { name, url: await cookieURL(driver) });
}

async function produce(driver: Driver, method: string, params: object): Promise<string> {
  const full = { context: driver.window, ...params };
  return dataSchema.parse(await driver.bidi.send(`browsingContext.${method}`, full)).data;
}
