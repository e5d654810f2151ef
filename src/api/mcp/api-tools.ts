import { lookUp } from "durable-machine/look-up";
import { z } from "zod";
import {
  defineTool,
  jsonOutput,
  sessionIdSchema,
  type Tool,
  type ToolCall,
  type ToolOutput,
} from "./tool.ts";

type Input = Record<string, unknown>;

const ADDRESS = /^(cdp_ws|webdriver_ws|browser_live_view)_url$/;

const PLACEHOLDER = /\{([^{}]*)\}/g;

interface Action {
  /** See {@link parse}. */
  spec: string;
  toBody?(input: Input): object;
  /** Replaces the call of the API. */
  run?(input: Input, call: ToolCall): Promise<ToolOutput>;
}

const BROWSER =
  "name headless stealth timeout_seconds proxy_id kiosk_mode start_url record profile_name profile_id " +
  "save_profile_changes viewport_width viewport_height extension_id extension_name region machine";

const FLAGS = "force headless kiosk_mode pause_agent record reuse save_profile_changes stealth".split(" ");
const INTEGERS = /^(framerate|limit|offset|size|viewport_(width|height)|fill_rate_per_minute|.*_seconds)$/;

/** For inputs whose names are not self-explanatory. */
const HINTS: Record<string, string | undefined> = {
  timeout_seconds: "of inactivity after which the browser ends",
  save_profile_changes: "save cookies and storage at the end",
  fill_rate_per_minute: "percentage of the pool that is launched",
  force: "also end leased browsers",
  reuse: "keep the browser for the next lease (default)",
  region: "such as weur or us-east",
  machine: "simulated or linux",
  payload: "JSON",
  instructions: "what the person shall do",
  pause_agent: "hold computer actions until the handoff ends",
  wait_seconds: "for the person, at most 50",
  encoding: "of content: utf8 (default) or base64",
  mode: "octal permissions, such as 644",
};

/** With the names, actions and inputs of Kernel's MCP server. */
const TOOLS: Record<string, { description: string; actions: Record<string, string | Action> }> = {
  manage_browsers: {
    description:
      "Create, list, get and delete browser sessions. The browser_* tools need none: they have their own browser, or " +
      "take the session_id of one that was created here, for instance with a profile or a proxy.",
    actions: {
      create: { spec: `POST /browsers ${BROWSER}`, toBody: toBrowser },
      list: "GET /browsers?status&limit&offset",
      get: "GET /browsers/{session_id}",
      delete: "DELETE /browsers/{session_id}",
    },
  },
  manage_browser_pools: {
    description:
      "Manage pools of browsers that are launched in advance: acquire, release, flush idle browsers.",
    actions: {
      create: { spec: `POST /browser_pools size fill_rate_per_minute ${BROWSER}`, toBody: toBrowser },
      list: "GET /browser_pools",
      get: "GET /browser_pools/{id_or_name}",
      delete: "DELETE /browser_pools/{id_or_name} force",
      flush: "POST /browser_pools/{id_or_name}/flush",
      acquire: "POST /browser_pools/{id_or_name}/acquire acquire_timeout_seconds",
      release: "POST /browser_pools/{id_or_name}/release session_id reuse",
    },
  },
  manage_profiles: {
    description:
      "Manage profiles, which keep cookies and storage between browser sessions. setup creates one, or changes the one with " +
      "that name, with a browser in which a person signs in.",
    actions: {
      setup: { spec: "POST /browsers profile_name", run: setUpProfile },
      list: "GET /profiles?query&limit&offset",
      get: "GET /profiles/{profile_id|profile_name}",
      delete: "DELETE /profiles/{profile_id|profile_name}",
    },
  },
  manage_proxies: {
    description: "List and check the proxies for browser sessions.",
    actions: { list: "GET /proxies?limit&offset", check: "POST /proxies/{proxy_id}/check" },
  },
  manage_extensions: {
    description: "List and delete uploaded browser extensions.",
    actions: { list: "GET /extensions", delete: "DELETE /extensions/{id_or_name}" },
  },
  manage_apps: {
    description: "Find deployed apps, invoke their actions, and inspect deployments and invocations.",
    actions: {
      list_apps: "GET /apps?app_name&version&limit&offset",
      invoke: { spec: "POST /invocations app_name action_name version payload", run: invokeAction },
      get_deployment: "GET /deployments/{deployment_id}",
      list_deployments: "GET /deployments?app_name&limit&offset",
      delete_deployment: "DELETE /deployments/{deployment_id}",
      get_invocation: "GET /invocations/{invocation_id}",
    },
  },
  manage_replays: {
    description: "Record a browser session as a video. start returns the video's address.",
    actions: {
      start: "POST {session}/replays framerate max_duration_in_seconds",
      stop: "POST {session}/replays/{replay_id}/stop",
      list: "GET {session}/replays",
    },
  },
  manage_handoffs: {
    description:
      "Ask a person to do something in the browser, such as to sign in. create returns a live view link for the " +
      "person; get says whether the person is done.",
    actions: {
      create: "POST {session}/handoffs instructions expires_in_seconds pause_agent",
      get: "GET {session}/handoffs/{handoff_id}?wait_seconds",
      withdraw: "DELETE {session}/handoffs/{handoff_id}",
    },
  },
  manage_browser_files: {
    description:
      "List, read, write and change files of a browser session's machine, where the browser's downloads are as well. read " +
      "returns text, download returns the file as base64.",
    actions: {
      list: "GET {session}/fs/list_files?path",
      get_info: "GET {session}/fs/file_info?path",
      read: { spec: "GET {session}/fs/read_file?path", run: readFile },
      download: { spec: "GET {session}/fs/read_file?path", run: readFile },
      write: { spec: "PUT {session}/fs/write_file?path&mode content encoding", run: writeFile },
      create_directory: "PUT {session}/fs/create_directory path mode",
      move: "PUT {session}/fs/move src_path dest_path",
      delete_file: "PUT {session}/fs/delete_file path",
      delete_directory: "PUT {session}/fs/delete_directory path",
      set_permissions: "PUT {session}/fs/set_file_permissions path mode owner group",
    },
  },
};

export const apiTools: readonly Tool[] = Object.entries(TOOLS).map(([name, { description, actions }]) => {
  const names = Object.keys(actions);
  return defineTool({
    name,
    description,
    input: z.object({ action: z.enum(names), ...toFields(actions) }),
    annotations: { destructiveHint: names.some((each) => each.startsWith("delete")), openWorldHint: false },
    run: async (input: Input, call) => {
      const given = lookUp(actions, String(input.action)) ?? "";
      const action = typeof given === "string" ? { spec: given } : given;
      return action.run?.(input, call) ?? perform(action, input, call);
    },
  });
});

/**
 * Reads the method, the path, and the names of the inputs in the path, query and body of a call such as
 * `POST /pools/{id}?force size name`. `{a|b}` is the first of these inputs that is given.
 */
function parse(spec: string) {
  const [method = "", address = "", ...body] = spec.split(" ");
  const [path = "", query] = address.split("?");
  const inPath = [...path.matchAll(PLACEHOLDER)].flatMap(([, names = ""]) => names.split("|"));
  return { call: `${method} ${path}`, inPath, query: query?.split("&") ?? [], body };
}

/** The inputs of all actions of a tool. Their descriptions name the actions. */
function toFields(actions: Record<string, string | Action>): z.ZodRawShape {
  const users: Record<string, string[]> = {};
  for (const [action, given] of Object.entries(actions)) {
    const { inPath, query, body } = parse(typeof given === "string" ? given : given.spec);
    for (const name of [...inPath, ...query, ...body]) users[name] = [...(users[name] ?? []), action];
  }
  const fields = Object.entries(users).map(([name, by]) => {
    if (name === "session") return ["session_id", sessionIdSchema];
    const type = FLAGS.includes(name) ? z.boolean() : INTEGERS.test(name) ? z.int() : z.string();
    return [name, type.optional().describe(`(${by.join(", ")}) ${HINTS[name] ?? ""}`.trim())];
  });
  return Object.fromEntries(fields);
}

async function perform({ spec, toBody }: Action, input: Input, call: ToolCall): Promise<ToolOutput> {
  const { call: route, query, body } = parse(spec);
  const response = await call.api.fetch(await pathOf(route, input, call), {
    query: pick(input, query),
    json: body.length === 0 ? undefined : (toBody?.(input) ?? pick(input, body)),
  });
  const answer = await response.text();
  if (answer === "") return { text: `Done: ${input.action}` };
  const value: unknown = JSON.parse(answer);
  if (!Array.isArray(value)) return jsonOutput(value);
  // A list does not need the browsers' URLs, each of which contains a token.
  const items = value.map((item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => !ADDRESS.test(name))),
  );
  const next_offset = response.headers.get("x-next-offset") ?? undefined;
  return jsonOutput({ items, has_more: next_offset !== undefined, next_offset });
}

/** Fills a path: `{session}` with the session that `session_id` names, or with the MCP session's own. */
export async function pathOf(path: string, input: Input, { browsers, api }: ToolCall): Promise<string> {
  let filled = path;
  if (path.includes("{session}")) {
    const id = input.session_id ?? (await browsers.own(api)).session_id;
    filled = path.replace("{session}", () => `/browsers/${encodeURIComponent(String(id))}`);
  }
  return filled.replace(PLACEHOLDER, (_, names) => encodeURIComponent(require(input, names.split("|"))));
}

function require(input: Input, names: string[]): string {
  const value = names.map((name) => input[name]).find((given) => given !== undefined && given !== "");
  if (value === undefined) throw new Error(`${names.join(" or ")} is required for ${input.action}`);
  return String(value);
}

function pick(input: Input, names: string[]): Input {
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}

function toBrowser({ action: _, viewport_width: width, viewport_height: height, ...input }: Input): object {
  const { extension_id, extension_name, profile_id, profile_name, save_profile_changes, ...plain } = input;
  const profile = { id: profile_id, name: profile_name, save_changes: save_profile_changes };
  return {
    ...plain,
    profile: (profile_id ?? profile_name) && profile,
    viewport: (width ?? height) && { width, height },
    extensions: (extension_id ?? extension_name) && [{ id: extension_id, name: extension_name }],
  };
}

async function setUpProfile(input: Input, { api }: ToolCall): Promise<ToolOutput> {
  const name = require(input, ["profile_name"]);
  const existing = await api.json("GET /profiles", z.array(z.unknown()), { query: { name } });
  if (existing.length === 0) await api.fetch("POST /profiles", { json: { name } });
  const json = { stealth: true, timeout_seconds: 300, profile: { name, save_changes: true } };
  const browser = z.object({ session_id: z.string(), browser_live_view_url: z.string() });
  const { session_id, browser_live_view_url: url } = await api.json("POST /browsers", browser, { json });
  const end = `Delete the browser session ${session_id} with manage_browsers when this is done, which saves the profile.`;
  return { text: `Open ${url} and sign in to what the profile shall keep. ${end}` };
}

/** Waits for the invocation's end. A cancelled call cancels it. */
async function invokeAction(input: Input, { api }: ToolCall): Promise<ToolOutput> {
  const given = pick(input, ["app_name", "action_name", "payload"]);
  const json = { ...given, version: input.version ?? "latest", async: true };
  const { id } = await api.uncancelled.json("POST /invocations", z.object({ id: z.string() }), { json });
  try {
    const events = await api.fetch(`GET /invocations/${id}/events`, { isStream: true });
    // These end with the invocation.
    await events.body?.pipeTo(new WritableStream());
  } finally {
    const failed = { json: { status: "failed" } };
    if (api.signal.aborted) await api.uncancelled.fetch(`PATCH /invocations/${id}`, failed);
  }
  return jsonOutput(await api.json(`GET /invocations/${id}`, z.unknown()));
}

async function readFile({ action, path, ...input }: Input, call: ToolCall): Promise<ToolOutput> {
  const address = await pathOf("GET {session}/fs/read_file", input, call);
  const response = await call.api.fetch(address, { query: { path } });
  if (action === "read") return { text: await response.text() };
  const bytes = await response.bytes();
  const mimeType = response.headers.get("content-type") ?? "application/octet-stream";
  return { file: { uri: `file://${encodeURI(String(path))}`, blob: bytes.toBase64(), mimeType } };
}

async function writeFile(input: Input, call: ToolCall): Promise<ToolOutput> {
  const { path, mode, encoding, content } = input;
  const text = String(content ?? "");
  const body = encoding === "base64" ? Uint8Array.fromBase64(text) : new TextEncoder().encode(text);
  const address = await pathOf("PUT {session}/fs/write_file", input, call);
  await call.api.fetch(address, { query: { path, mode }, body });
  return { text: `Wrote ${body.byteLength} bytes to ${path}` };
}
