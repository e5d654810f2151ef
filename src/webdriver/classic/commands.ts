import { z } from "zod";
import { pause } from "../../common/concurrency.ts";
import {
  clearElement,
  findElements,
  focusForTyping,
  prepareClick,
  readElement,
  showElement,
} from "../../page-scripts/bundled.js";
import { timeoutsSchema } from "./capabilities.ts";
import { type Driver, ELEMENT_KEY, SHADOW_KEY } from "./driver.ts";
import { WebDriverError } from "./errors.ts";
import { toKeyActions } from "./key-actions.ts";

const FIND_INTERVAL_MS = 100;

/** Actions of the client may last. */
const ACTIONS_LIMIT = { ms: 600_000, code: "timeout" } as const;

const nothing = z.unknown();
const elementSchema = z.object({ [ELEMENT_KEY]: z.string() });
const locatorSchema = z.object({
  using: z.enum(["css selector", "link text", "partial link text", "tag name", "xpath"]),
  value: z.string(),
});
const scriptSchema = z.object({ script: z.string(), args: z.array(z.unknown()) });
const rectSchema = z.object({
  x: z.number().nullish(),
  y: z.number().nullish(),
  width: z.number().nullish(),
  height: z.number().nullish(),
});
const cookieSchema = z.object({
  name: z.string(),
  value: z.string(),
  path: z.string(),
  domain: z.string(),
  secure: z.boolean(),
  httpOnly: z.boolean(),
  sameSite: z.enum(["Strict", "Lax", "None"]).optional(),
});
const givenCookieSchema = cookieSchema.partial().required({ name: true, value: true });
const dataSchema = z.object({ data: z.string() });
const windowBoundsSchema = z.object({
  windowId: z.int(),
  bounds: z.object({ left: z.number(), top: z.number(), width: z.number(), height: z.number() }),
});
const axValueSchema = z.object({ value: z.string() }).optional();
const axNodesSchema = z.array(z.object({ role: axValueSchema, name: axValueSchema }));

type Run<Body> = (driver: Driver, body: Body, ...parameters: string[]) => Promise<unknown>;

interface Command {
  /** Such as `POST element/:/click`; a colon stands for a parameter. */
  route: string;
  /** Whether it works while a prompt is open or a page loads. */
  isFree: boolean;
  run: Run<unknown>;
}

function command<S extends z.ZodType>(
  route: string,
  schema: S,
  run: Run<z.infer<S>>,
  { isFree = false } = {},
): Command {
  return {
    route,
    isFree,
    run: (driver, body, ...parameters) => {
      const parsed = schema.safeParse(body ?? {});
      if (parsed.success) return run(driver, parsed.data, ...parameters);
      const [issue] = parsed.error.issues;
      throw new WebDriverError("invalid argument", `${issue?.path.join(".")}: ${issue?.message}`);
    },
  };
}

const get = (path: string, run: (driver: Driver, ...parameters: string[]) => Promise<unknown>): Command =>
  command(`GET ${path}`, nothing, (driver, _, ...parameters) => run(driver, ...parameters));

const FREE = { isFree: true };

export const COMMANDS: readonly Command[] = [
  command("GET timeouts", nothing, async ({ state }) => state.timeouts, FREE),
  command(
    "POST timeouts",
    timeoutsSchema.partial(),
    async (driver, change) => driver.update({ timeouts: { ...driver.state.timeouts, ...change } }),
    FREE,
  ),

  command("POST url", z.object({ url: z.string() }), (driver, body) => driver.navigate("navigate", body)),
  get("url", async (driver) => (await driver.windows(driver.window))[0]?.url),
  get("title", (driver) => driver.evaluate("document.title")),
  get("source", (driver) => driver.call("() => document.documentElement.outerHTML")),
  command("POST back", nothing, (driver) => traverse(driver, -1)),
  command("POST forward", nothing, (driver) => traverse(driver, 1)),
  command("POST refresh", nothing, (driver) => driver.navigate("reload", {})),

  command("GET window", nothing, async (driver) => (await driver.windows(driver.window))[0]?.context, FREE),
  command("GET window/handles", nothing, listHandles, FREE),
  command(
    "POST window",
    z.object({ handle: z.string() }),
    async (driver, { handle }) => {
      const [window] = await driver.windows(handle);
      if (window === undefined || window.parent) throw new WebDriverError("no such window", "no such window");
      await driver.bidi.send("browsingContext.activate", { context: handle });
      driver.update({ window: handle, frame: undefined });
    },
    FREE,
  ),
  command("POST window/new", z.object({ type: z.string().nullish() }), async (driver, body) => {
    const type = body.type === "window" ? "window" : "tab";
    return { handle: await driver.newWindow(type), type };
  }),
  command("DELETE window", nothing, async (driver) => {
    await driver.bidi.send("browsingContext.close", { context: driver.window });
    return listHandles(driver);
  }),
  get("window/rect", (driver) => setBounds(driver, {})),
  command("POST window/rect", rectSchema, setBounds),
  // The windows of a session have its size already.
  ...["maximize", "minimize", "fullscreen"].map((state) =>
    command(`POST window/${state}`, nothing, (driver) => setBounds(driver, {})),
  ),

  command(
    "POST frame",
    z.object({ id: z.union([z.null(), z.int(), elementSchema]) }),
    async (driver, { id }) => {
      driver.update({ frame: id === null ? undefined : await findFrame(driver, id) });
    },
  ),
  command("POST frame/parent", nothing, async (driver) => {
    const [frame] = await driver.windows(driver.context);
    driver.update({ frame: frame?.parent === driver.window ? undefined : (frame?.parent ?? undefined) });
  }),

  get("element/active", (driver) => driver.call("() => document.activeElement")),
  ...[
    { path: "", toRoot: () => [] },
    { path: "element/:/", toRoot: (id = "") => [{ [ELEMENT_KEY]: id }] },
    { path: "shadow/:/", toRoot: (id = "") => [{ [SHADOW_KEY]: id }] },
  ].flatMap(({ path, toRoot }) => [
    command(`POST ${path}element`, locatorSchema, async (driver, locator, id) => {
      const [first] = await find(driver, locator, toRoot(id));
      if (first !== undefined) return first;
      throw new WebDriverError("no such element", `no element for ${locator.using}: ${locator.value}`);
    }),
    command(`POST ${path}elements`, locatorSchema, (driver, locator, id) =>
      find(driver, locator, toRoot(id)),
    ),
  ]),
  ...["attribute/:", "css/:", "displayed", "enabled", "name", "rect", "selected", "shadow", "text"].map(
    (path) =>
      get(`element/:/${path}`, (driver, id, name = "") =>
        driver.call(readElement, { [ELEMENT_KEY]: id }, path.replace("/:", ""), name),
      ),
  ),
  get("element/:/property/:", (driver, id, name) =>
    driver.execute("return arguments[0][arguments[1]]", [{ [ELEMENT_KEY]: id }, name], false),
  ),
  get("element/:/computedrole", async (driver, id) => (await readAccessible(driver, id))?.role?.value),
  get("element/:/computedlabel", async (driver, id) => (await readAccessible(driver, id))?.name?.value),
  command("POST element/:/click", nothing, async (driver, _, id = "") => {
    if (await driver.call(prepareClick, { [ELEMENT_KEY]: id })) {
      const origin = { type: "element", element: { sharedId: id } };
      const press = ["pointerDown", "pointerUp"].map((type) => ({ type, button: 0 }));
      const actions = [{ type: "pointerMove", x: 0, y: 0, origin }, ...press];
      // With the same mouse, two quick clicks would be a double click.
      await perform(driver, [{ type: "pointer", id: crypto.randomUUID(), actions }]);
    }
    await driver.react();
  }),
  command("POST element/:/value", z.object({ text: z.string() }), async (driver, { text }, id = "") => {
    const { context } = driver;
    if ((await driver.call(focusForTyping, { [ELEMENT_KEY]: id })) === "file") {
      const params = { context, element: { sharedId: id }, files: text.split("\n") };
      await driver.bidi.send("input.setFiles", params);
    } else await perform(driver, [{ type: "key", id: crypto.randomUUID(), actions: toKeyActions(text) }]);
    await driver.react();
  }),
  command("POST element/:/clear", nothing, async (driver, _, id) => {
    await driver.call(clearElement, { [ELEMENT_KEY]: id });
  }),

  command("POST actions", z.object({ actions: z.array(z.looseObject({})) }), async (driver, { actions }) => {
    const toOrigin = (key: string, value: unknown) => {
      const reference = key === "origin" ? elementSchema.safeParse(value).data : undefined;
      return reference ? { type: "element", element: { sharedId: reference[ELEMENT_KEY] } } : value;
    };
    await perform(driver, JSON.parse(JSON.stringify(actions), toOrigin));
    await driver.react();
  }),
  command("DELETE actions", nothing, async (driver) => {
    await driver.bidi.send("input.releaseActions", { context: driver.context });
  }),
  command("POST execute/sync", scriptSchema, (driver, { script, args }) =>
    driver.execute(script, args, false),
  ),
  command("POST execute/async", scriptSchema, (driver, { script, args }) =>
    driver.execute(script, args, true),
  ),

  get("cookie", listCookies),
  get("cookie/:", async (driver, name) => {
    const cookie = (await listCookies(driver)).find((each) => each.name === name);
    if (cookie !== undefined) return cookie;
    throw new WebDriverError("no such cookie", `no cookie ${name}`);
  }),
  command(
    "POST cookie",
    z.object({ cookie: givenCookieSchema.extend({ expiry: z.int().optional() }) }),
    async (driver, { cookie }) => {
      const { expiry: expires, ...rest } = cookie;
      const { success } = await driver.cdp("Network.setCookie", {
        ...rest,
        expires,
        url: await cookieURL(driver),
      });
      if (success !== true)
        throw new WebDriverError("unable to set cookie", "the browser refused the cookie");
    },
  ),
  command("DELETE cookie/:", nothing, async (driver, _, name) => {
    await driver.cdp("Network.deleteCookies", { name, url: await cookieURL(driver) });
  }),
  command("DELETE cookie", nothing, async (driver) => {
    const url = await cookieURL(driver);
    for (const { name } of await listCookies(driver))
      await driver.cdp("Network.deleteCookies", { name, url });
  }),

  get("screenshot", (driver) => capture(driver, { context: driver.window })),
  get("element/:/screenshot", async (driver, id) => {
    await driver.call(showElement, { [ELEMENT_KEY]: id });
    const clip = { type: "element", element: { sharedId: id } };
    return capture(driver, { context: driver.context, clip });
  }),
  command("POST print", z.looseObject({}), async (driver, body) => {
    const printed = await driver.bidi.send("browsingContext.print", { ...body, context: driver.window });
    return dataSchema.parse(printed).data;
  }),

  command("POST alert/accept", nothing, (driver) => closePrompt(driver, true), FREE),
  command("POST alert/dismiss", nothing, (driver) => closePrompt(driver, false), FREE),
  command("GET alert/text", nothing, async (driver) => requirePrompt(driver).message, FREE),
  command(
    "POST alert/text",
    z.object({ text: z.string() }),
    async (driver, { text }) => {
      const prompt = requirePrompt(driver);
      if (prompt.type !== "prompt")
        throw new WebDriverError("element not interactable", "it has no text field");
      prompt.text = text;
    },
    FREE,
  ),

  command("POST goog/cdp/execute", z.object({ cmd: z.string(), params: z.looseObject({}) }), (driver, body) =>
    driver.cdp(body.cmd, body.params),
  ),
];

async function traverse(driver: Driver, delta: number): Promise<void> {
  driver.update({ frame: undefined });
  const [before] = await driver.windows(driver.window);
  const params = { context: driver.window, delta };
  await driver.bidi.send("browsingContext.traverseHistory", params).catch((error) => {
    // At the end of the history, nothing happens.
    if (!(before && error instanceof WebDriverError && /history entry/.test(error.message))) throw error;
  });
  await driver.react();
}

async function listHandles(driver: Driver): Promise<string[]> {
  return (await driver.windows()).map(({ context }) => context);
}

async function setBounds(driver: Driver, rect: z.infer<typeof rectSchema>) {
  const read = async () => {
    const targetId = driver.window;
    return windowBoundsSchema.parse(await driver.cdp("Browser.getWindowForTarget", { targetId }));
  };
  const { x, y, width, height } = rect;
  const wanted = Object.entries({ left: x, top: y, width, height }).filter(([, value]) => value != null);
  if (wanted.length > 0) {
    const { windowId } = await read();
    await driver.cdp("Browser.setWindowBounds", { windowId, bounds: Object.fromEntries(wanted) });
  }
  const { left, top, ...size } = (await read()).bounds;
  return { x: left, y: top, width: size.width, height: size.height };
}

function findFrame(driver: Driver, id: number | z.infer<typeof elementSchema>): Promise<string> {
  return typeof id === "number"
    ? driver.findFrame("(index) => window[index]", { type: "number", value: id })
    : driver.findFrame("(element) => element.contentWindow", { sharedId: id[ELEMENT_KEY] });
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

async function readAccessible(driver: Driver, id = "") {
  const backendNodeId = Number(/\d+$/.exec(id)?.[0]);
  const params = { backendNodeId, fetchRelatives: false };
  return axNodesSchema.parse((await driver.cdp("Accessibility.getPartialAXTree", params)).nodes)[0];
}

async function perform(driver: Driver, actions: unknown): Promise<void> {
  await driver.bidi.send("input.performActions", { context: driver.context, actions }, ACTIONS_LIMIT);
}

async function cookieURL(driver: Driver): Promise<string> {
  const url = (await driver.windows(driver.context))[0]?.url ?? "";
  if (/^https?:/.test(url)) return url;
  throw new WebDriverError("invalid cookie domain", "the page can have no cookies");
}

async function listCookies(driver: Driver) {
  const { cookies } = await driver.cdp("Network.getCookies", {});
  return z
    .array(cookieSchema.extend({ expires: z.number() }))
    .parse(cookies)
    .map(({ expires, ...cookie }) => (expires < 0 ? cookie : { ...cookie, expiry: Math.floor(expires) }));
}

async function capture(driver: Driver, params: object): Promise<string> {
  return dataSchema.parse(await driver.bidi.send("browsingContext.captureScreenshot", params)).data;
}

function requirePrompt({ prompt }: Driver) {
  if (prompt !== undefined) return prompt;
  throw new WebDriverError("no such alert", "no prompt is open");
}

async function closePrompt(driver: Driver, accept: boolean): Promise<void> {
  const { text } = requirePrompt(driver);
  await driver.closePrompt(accept, text);
}
