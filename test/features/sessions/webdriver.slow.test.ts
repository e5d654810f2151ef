import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type SessionBody, sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { readZip } from "../../../src/lib/archives/zip-reader.ts";
import { Client, newClient, ORIGIN, openSocket, upgrade } from "../../api.ts";
import { buildZip } from "../../lib/archives/zip-builder.ts";
import { isInUse, restart } from "../../objects.ts";
import { Listener } from "../../sockets.ts";

const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const PAGE = `data:text/html,${encodeURIComponent(`<title>First</title>
<button id=b onclick="this.textContent = Number(this.textContent) + 1">0</button>
<button id=ask onclick="this.title = prompt('Who?')">ask</button>
<div style="position:relative"><button id=covered>c</button><p style="position:absolute;inset:0;margin:0">over</p></div>
<input id=i value="a"><input id=off disabled><input type=checkbox id=k checked>
<select><option>x</option><option id=o>y</option></select>
<a href="data:text/html,<title>Second</title>">go on</a>
<iframe srcdoc="<p id=p>inside</p>"></iframe>`)}`;

const messageSchema = z.looseObject({
  type: z.string(),
  id: z.number().nullish(),
  error: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
});
const valueSchema = z.object({ value: z.unknown() });
const createdSchema = z.object({
  value: z.object({
    sessionId: z.string(),
    capabilities: z.looseObject({
      browserName: z.string(),
      webSocketUrl: z.string().optional(),
      "berth:session": sessionSchema,
    }),
  }),
});

class Bidi {
  readonly #socket: WebSocket;
  readonly closed: Promise<CloseEvent>;
  #id = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Listener(socket).closed;
  }

  static async connect(url: string): Promise<Bidi> {
    return new Bidi(await openSocket(url));
  }

  async send(method: string, params: object = {}) {
    this.#id += 1;
    const id = this.#id;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return this.next((message) => message.id === id);
  }

  next(matches: (message: z.infer<typeof messageSchema>) => boolean): Promise<z.infer<typeof messageSchema>> {
    return new Promise((resolve) => {
      const listen = ({ data }: MessageEvent) => {
        const message = messageSchema.parse(JSON.parse(String(data)));
        if (!matches(message)) return;
        this.#socket.removeEventListener("message", listen);
        resolve(message);
      };
      this.#socket.addEventListener("message", listen);
    });
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close(1000);
  }
}

const anonymous = new Client();
const client = await newClient();

describe("webdriver_ws_url", () => {
  let session: SessionBody;
  beforeAll(async () => {
    session = await client.createSession({ timeout_seconds: 600 });
  });
  afterAll(async () => {
    await client.delete(`/browsers/${session.session_id}`);
  });

  it("serves BiDi sessions, one for each connection", async () => {
    for (let round = 0; round < 2; round += 1) {
      const bidi = await Bidi.connect(session.webdriver_ws_url);
      expect((await bidi.send("session.status")).result).toMatchObject({ ready: true });
      expect((await bidi.send("browsingContext.getTree")).error).toBe("invalid session id");
      expect((await bidi.send("session.new", { capabilities: {} })).error).toBeUndefined();
      expect((await bidi.send("session.status")).result).toMatchObject({ ready: false });
      expect((await bidi.send("session.new", { capabilities: {} })).error).toBe("session not created");
      const tree = await bidi.send("browsingContext.getTree");
      const contexts = z.array(z.object({ context: z.string() })).parse(tree.result?.contexts);
      expect(contexts).toHaveLength(1);
      const context = contexts[0]?.context;
      await bidi.send("browsingContext.navigate", { context, url: PAGE, wait: "complete" });
      await bidi.send("session.subscribe", { events: ["log.entryAdded"] });
      const logged = bidi.next(({ method }) => method === "log.entryAdded");
      const expression = "console.log('x'.repeat(70000)), console.log('heard'), document.title";
      const evaluated = await bidi.send("script.evaluate", {
        expression,
        target: { context },
        awaitPromise: false,
      });
      expect(evaluated.result).toMatchObject({ result: { type: "string", value: "First" } });
      // The first one is larger than what is reported.
      expect(await logged).toMatchObject({ params: { text: "heard" } });
      expect((await bidi.send("session.end")).type).toBe("success");
      expect((await bidi.closed).code).toBe(1000);
    }
  });

  it("answers malformed messages, and keeps the session when a client closes the browser", async () => {
    const bidi = await Bidi.connect(session.webdriver_ws_url);
    for (const text of ["{", "[]", '{"id":-0.5,"method":"session.status","params":{}}']) {
      const answered = bidi.next(({ id }) => id === null);
      bidi.sendText(text);
      expect((await answered).error).toBe("invalid argument");
    }
    await bidi.send("session.new", { capabilities: {} });
    expect((await bidi.send("browsingContext.navigate", { context: 1 })).error).toBe("invalid argument");
    const file = await bidi.send("script.callFunction", { functionDeclaration: "nope" });
    expect(file.error).toBe("invalid argument");
    await bidi.send("browser.close");
    await bidi.closed;
    const read = await client.get(`/browsers/${session.session_id}`);
    expect(read.read(sessionSchema).deleted_at).toBeUndefined();
  });

  it("needs its own token, which can be revoked", async () => {
    const { webdriver_ws_url: url, cdp_ws_url: cdp } = session;
    const cdpToken = new URL(cdp).searchParams.get("jwt");
    expect((await upgrade(url, { upgrade: "" })).status).toBe(426);
    expect((await upgrade(url.replace(/jwt=.*/, `jwt=${cdpToken}`))).status).toBe(401);
    expect((await upgrade(url.replace(/\?.*/, ""))).status).toBe(401);
    const connected = await Bidi.connect(url);
    await client.post(`/browsers/${session.session_id}/revoke_urls`);
    expect((await connected.closed).code).toBe(1001);
    expect((await upgrade(url)).status).toBe(401);
  });
});

describe("WebDriver classic", () => {
  let id: string;
  let session: SessionBody;

  async function create(capabilities: object = {}, path = "/session", headers: Record<string, string> = {}) {
    const alwaysMatch = { browserName: "chrome", ...capabilities };
    return anonymous.post(path, { capabilities: { alwaysMatch, firstMatch: [{}] } }, headers);
  }

  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await anonymous.call(method, `/session/${id}/${path}`, { body });
    return valueSchema.parse(answer.json).value;
  }

  async function find(value: string, using = "css selector"): Promise<string> {
    const found = await send("POST", "element", { using, value });
    return z.object({ [ELEMENT]: z.string() }).parse(found)[ELEMENT] ?? "";
  }

  beforeAll(async () => {
    const options = { api_key: client.token, timeout_seconds: 600 };
    const { value } = (await create({ "berth:options": options, webSocketUrl: true })).read(createdSchema);
    id = value.sessionId;
    session = value.capabilities["berth:session"];
    expect(value.capabilities).toMatchObject({
      browserName: "chrome",
      platformName: "linux",
      webSocketUrl: `${ORIGIN.replace("http", "ws")}/session/${id}`,
    });
  });
  afterAll(async () => {
    await client.delete(`/browsers/${session.session_id}`);
  });

  it("finds, reads, clicks and types", async () => {
    expect(await send("POST", "url", { url: PAGE })).toBeNull();
    expect(await send("GET", "title")).toBe("First");
    const button = await find("#b");
    for (let count = 1; count <= 2; count += 1) await send("POST", `element/${button}/click`, {});
    expect(await send("GET", `element/${button}/text`)).toBe("2");
    const input = await find("//input[@id='i']", "xpath");
    await send("POST", `element/${input}/value`, { text: "b\uE008c" });
    expect(await send("GET", `element/${input}/property/value`)).toBe("abC");
    await send("POST", `element/${input}/clear`, {});
    expect(await send("GET", `element/${input}/property/value`)).toBe("");
    expect(await send("GET", `element/${await find("#off")}/enabled`)).toBe(false);
    expect(await send("GET", `element/${await find("#k")}/selected`)).toBe(true);
    expect(await send("GET", `element/${await find("#k")}/attribute/checked`)).toBe("true");
    const option = await find("#o");
    await send("POST", `element/${option}/click`, {});
    expect(await send("GET", `element/${option}/selected`)).toBe(true);
    expect(await send("GET", `element/${button}/name`)).toBe("button");
    expect(await send("GET", `element/${button}/rect`)).toMatchObject({ width: expect.any(Number) });
    expect(await send("POST", "elements", { using: "tag name", value: "input" })).toHaveLength(3);
  });

  it("runs scripts with elements, and waits for what a click loads", async () => {
    await send("POST", "url", { url: PAGE });
    const element = { [ELEMENT]: await find("#b") };
    const run = (script: string, ...args: unknown[]) => send("POST", "execute/sync", { script, args });
    expect(await run("return [arguments[0].id, arguments[1].a]", element, { a: 1 })).toEqual(["b", 1]);
    expect(await run("return { list: document.querySelectorAll('#b') }")).toEqual({ list: [element] });
    expect(await run("return document.body.getBoundingClientRect()")).toHaveProperty("width");
    expect(await run("return undefined // comment")).toBeNull();
    expect(await run("null.x")).toMatchObject({ error: "javascript error" });
    const script = "arguments[1](arguments[0] + 1)";
    expect(await send("POST", "execute/async", { script, args: [1] })).toBe(2);
    await send("POST", "timeouts", { script: 100 });
    expect(await send("POST", "execute/async", { script: "", args: [] })).toMatchObject({
      error: "script timeout",
    });
    await send("POST", "timeouts", { script: 30_000 });
    await send("POST", "url", { url: "data:text/html,<title>Zero</title>" });
    await run("document.body.innerHTML = '<a href=\"about:blank\">go on</a>'");
    await send("POST", `element/${await find("go on", "link text")}/click`, {});
    expect(await send("GET", "url")).toBe("about:blank");
    await send("POST", "back", {});
    expect(await send("GET", "title")).toBe("Zero");
    expect(await send("GET", `element/${element[ELEMENT]}/text`)).toMatchObject({
      error: "stale element reference",
    });
  });

  it("handles prompts, frames and windows", async () => {
    await send("POST", "url", { url: PAGE });
    const ask = await find("#ask");
    expect(await send("POST", `element/${ask}/click`, {})).toBeNull();
    expect(await send("GET", "alert/text")).toBe("Who?");
    await send("POST", "alert/text", { text: "Ada" });
    await send("POST", "alert/accept", {});
    expect(await send("GET", `element/${ask}/attribute/title`)).toBe("Ada");
    await send("POST", `element/${ask}/click`, {});
    expect(await send("GET", "title")).toMatchObject({ error: "unexpected alert open" });
    expect(await send("GET", "alert/text")).toMatchObject({ error: "no such alert" });
    const frame = { [ELEMENT]: await find("iframe") };
    await send("POST", "frame", { id: frame });
    expect(await send("GET", `element/${await find("#p")}/text`)).toBe("inside");
    expect(await send("POST", "element", { using: "css selector", value: "#b" })).toMatchObject({
      error: "no such element",
    });
    await send("POST", "frame/parent", {});
    await find("#b");
    await send("POST", "frame", { id: 0 });
    await send("POST", "frame", { id: null });
    expect(await send("POST", "frame", { id: 7 })).toMatchObject({ error: "no such frame" });
    const first = await send("GET", "window");
    const { handle } = z.object({ handle: z.string() }).parse(await send("POST", "window/new", {}));
    expect(await send("GET", "window/handles")).toEqual(expect.arrayContaining([first, handle]));
    await send("POST", "window", { handle });
    expect(await send("GET", "title")).toBe("");
    expect(await send("DELETE", "window")).toEqual([first]);
    expect(await send("GET", "title")).toMatchObject({ error: "no such window" });
    await send("POST", "window", { handle: first });
    expect(await send("GET", "title")).toBe("First");
  });

  it("unpacks one file of a zip into a folder of its own", async () => {
    const upload = async (text: string) => {
      const answer = await anonymous.call("POST", `/session/${id}/se/file`, { text });
      return { status: answer.status, value: valueSchema.parse(answer.json).value };
    };
    const pack = (...names: string[]) =>
      buildZip(names.map((name) => ({ name, content: "x".repeat(100_000) }))).toBase64();
    const inside = expect.stringMatching(/^\/tmp\/uploads\/[\da-f-]{36}\/a b\.txt$/);
    const zip = pack("a b.txt");
    const bodies = [
      JSON.stringify({ file: zip }),
      JSON.stringify({ id: "before", file: zip.replaceAll(/.{76}/g, "$&\r\n"), name: "after" }),
      JSON.stringify({ file: zip }).replaceAll("/", "\\/").replaceAll("=", "\\u003d"),
    ];
    for (const body of bodies) expect(await upload(body)).toEqual({ status: 200, value: inside });
    const table: [string, string, RegExp][] = [
      [
        "two files",
        JSON.stringify({ file: pack("a", "b") }),
        /^Expected there to be only 1 file. There were: 2$/,
      ],
      ["no file", JSON.stringify({ file: pack() }), /There were: 0$/],
      ["a name that leaves the folder", JSON.stringify({ file: pack("../a") }), /invalid zip file/],
      ["an absolute name", JSON.stringify({ file: pack("/etc/a") }), /invalid zip file/],
      ["no zip", JSON.stringify({ file: btoa("no zip") }), /invalid zip file/],
      ["no Base64", JSON.stringify({ file: `${zip}%` }), /^file: must be a zip in Base64$/],
      ["half of it", `{"file": "${zip.slice(0, 50_000)}`, /^file: must be a zip in Base64$/],
      ["a number", '{"file": 1}', /^file: must be a zip in Base64$/],
      ["no JSON", " ".repeat(100_000), /^file: must be a zip in Base64$/],
      ["nothing", "", /^file: must be a zip in Base64$/],
    ];
    for (const [name, body, message] of table) {
      expect((await upload(body)).value, name).toMatchObject({ message: expect.stringMatching(message) });
    }
    const files = await client.get(`/browsers/${session.session_id}/fs/list_files?path=/tmp/uploads`);
    expect(files.json).toHaveLength(bodies.length);
    const spool = await client.get(`/browsers/${session.session_id}/fs/list_files?path=/var/spool/uploads`);
    expect(spool.json).toEqual([]);
    const other = id.replace(/\.[^.]+$/, ".AAAA");
    for (const path of ["se/file", "se/files"]) {
      expect((await anonymous.post(`/session/${other}/${path}`, {})).status).toBe(401);
    }
  });

  it("offers no files but the downloads", async () => {
    await client.call("PUT", `/browsers/${session.session_id}/fs/write_file?path=/home/kernel/secret.txt`, {
      text: "secret",
    });
    expect(await send("GET", "se/files")).toEqual({ names: [], files: [] });
    const cannot = { message: expect.stringContaining("Cannot find file") };
    for (const name of ["../secret.txt", "none", ""]) {
      expect(await send("POST", "se/files", { name })).toMatchObject(cannot);
    }
    const path = "/home/kernel/Downloads/large.bin";
    const content = "0123456789".repeat(30_000);
    await client.call("PUT", `/browsers/${session.session_id}/fs/write_file?path=${path}`, { text: content });
    expect(await send("GET", "se/files")).toMatchObject({
      names: ["large.bin"],
      files: [{ name: "large.bin", size: 300_000 }],
    });
    const sent = await send("POST", "se/files", { name: "large.bin" });
    const { contents, filename } = z.object({ contents: z.string(), filename: z.string() }).parse(sent);
    expect(filename).toBe("large.bin");
    const zip = Uint8Array.fromBase64(contents);
    const source = {
      size: zip.length,
      read: async (at: number, length: number) => zip.subarray(at, at + length),
    };
    const [entry] = await readZip(source, { totalSize: 1e6, entries: 1 });
    expect(entry?.type === "file" && (await new Response(entry.content()).text())).toBe(content);
    await send("DELETE", "se/files");
    expect(await send("GET", "se/files")).toEqual({ names: [], files: [] });
  });

  it("takes pictures, and survives a restart of the session's object", async () => {
    await send("POST", "url", { url: PAGE });
    const button = await find("#b");
    await restart(session.session_id);
    for (const path of ["screenshot", `element/${button}/screenshot`]) {
      expect(z.string().parse(await send("GET", path))).toMatch(/^iVBOR/);
    }
  });

  it("names what it refuses", async () => {
    await send("POST", "url", { url: PAGE });
    const table: [string, string, object | undefined, string][] = [
      ["POST", "nothing", {}, "unknown command"],
      ["POST", "url", {}, "invalid argument"],
      ["POST", "element", { using: "magic", value: "x" }, "invalid argument"],
      ["POST", "element", { using: "css selector", value: "<" }, "invalid selector"],
      ["POST", "element", { using: "xpath", value: "((" }, "invalid selector"],
      ["POST", `element/${await find("#covered")}/click`, {}, "element click intercepted"],
      ["POST", `element/${await find("#off")}/clear`, {}, "invalid element state"],
      ["POST", `element/${await find("#off")}/value`, { text: "a" }, "element not interactable"],
      ["POST", "cookie", { cookie: { name: "a", value: "1" } }, "invalid cookie domain"],
      ["POST", "goog/cdp/execute", { cmd: "Browser.crash", params: {} }, "unknown error"],
    ];
    for (const [method, path, body, error] of table) {
      expect(await send(method, path, body), path).toMatchObject({ error });
    }
    const malformed = await anonymous.call("POST", `/session/${id}/url`, {
      text: "{",
      headers: { "content-type": "application/json" },
    });
    expect(malformed.json).toMatchObject({ value: { error: "invalid argument" } });
  });

  it("takes the key as password, bearer or capability, and from no web page", async () => {
    const basic = `Basic ${btoa(`any:${client.token}`)}`;
    const refused: [object, Record<string, string>, number][] = [
      [{}, {}, 401],
      [{}, { authorization: "Basic YTpi" }, 401],
      [{ "berth:options": { api_key: "berth_unknown" } }, {}, 401],
      [{}, { authorization: basic, origin: "https://example.com" }, 403],
      [{ browserName: "firefox" }, { authorization: basic }, 500],
      [{ "berth:options": { timeout_seconds: 1 } }, { authorization: basic }, 400],
      [{ "some:options": "x".repeat(70_000) }, {}, 413],
    ];
    for (const [capabilities, headers, status] of refused) {
      const answer = await create(capabilities, "/session", headers);
      expect(answer.status, answer.text).toBe(status);
      expect(valueSchema.parse(answer.json).value).toHaveProperty("stacktrace");
    }
    for (const [path, headers] of [
      ["/wd/hub/session", { authorization: basic }],
      ["/session", { authorization: `Bearer ${client.token}`, "content-type": "text/plain" }],
    ] as const) {
      const { value } = (await create({}, path, headers)).read(createdSchema);
      expect(value.capabilities.webSocketUrl).toBeUndefined();
      const root = path.replace(/session$/, `session/${value.sessionId}`);
      expect((await anonymous.get(`${root}/timeouts`, { headers: { origin: ORIGIN } })).status).toBe(403);
      expect((await anonymous.delete(root)).json).toEqual({ value: null });
      const ended = await client.get(
        `/browsers/${value.capabilities["berth:session"].session_id}?include_deleted=true`,
      );
      expect(ended.read(sessionSchema).end_reason).toBe("deleted");
      const late = await anonymous.get(`${root}/title`);
      expect(late.json).toMatchObject({ value: { error: "invalid session id" } });
    }
  });

  it("runs no commands that waited when the URLs were revoked, and lets only twenty wait", async () => {
    const { value } = (await create({}, "/session", { authorization: `Bearer ${client.token}` })).read(
      createdSchema,
    );
    const root = `/session/${value.sessionId}`;
    const body = { script: "window.count = (window.count ?? 0) + 1", args: [] };
    const wait = { script: "setTimeout(arguments[0], 3000)", args: [] };
    const waiting = anonymous.post(`${root}/execute/async`, wait);
    const others = Array.from({ length: 25 }, () => anonymous.post(`${root}/execute/sync`, body));
    const limited = await Promise.any(
      others.map(async (other) => {
        const { status } = await other;
        return status === 429 ? status : Promise.reject(new Error(`status ${status}`));
      }),
    );
    expect(limited).toBe(429);
    const { session_id: id } = value.capabilities["berth:session"];
    expect((await client.post(`/browsers/${id}/revoke_urls`, {})).status).toBe(200);
    const statuses = (await Promise.all([waiting, ...others])).map(({ status }) => status);
    expect(statuses).not.toContain(200);
    await client.delete(`/browsers/${id}`);
  });

  it("does not keep the session in use between its commands", async () => {
    await send("GET", "title");
    expect(await isInUse(session.session_id)).toBe(false);
  });

  it("continues over BiDi at its webSocketUrl", async () => {
    const root = await send("GET", "window");
    const bidi = await Bidi.connect(`${ORIGIN.replace("http", "ws")}/session/${id}`);
    // The first command finds the pages that exist.
    expect((await bidi.send("browsingContext.getTree", { root })).type).toBe("success");
    expect((await bidi.send("session.subscribe", { events: ["network"] })).type).toBe("success");
    bidi.close();
    const other = id.replace(/\.[^.]+$/, ".AAAA");
    expect((await upgrade(`${ORIGIN}/session/${other}`)).status).toBe(401);
  });
});
