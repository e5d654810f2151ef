import type { Schemas } from "../../api/client.ts";

export type CreateBody = Schemas["CreateBrowserSession"];

/** Where the examples take the API key from. */
const KEY = "BERTH_API_KEY";

/** Options of Berth that the SDKs do not declare. */
const OWN_OPTIONS: readonly string[] = ["record", "viewport_mode"];

const MAX_LINE = 56;

type Option = [name: string, value: unknown];

interface Syntax {
  indent: string;
  /** Inside the braces of an object in one line. */
  space: string;
  entry: (key: string, value: string) => string;
  literal: (value: unknown) => string;
}

// A string in JSON is the same string in JavaScript and in Python.
const TYPESCRIPT: Syntax = {
  indent: "  ",
  space: " ",
  entry: (key, value) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    // Without brackets, it would set the prototype.
    return `${key === "__proto__" ? '["__proto__"]' : name}: ${value}`;
  },
  literal: (value) => JSON.stringify(value),
};

const PYTHON: Syntax = {
  indent: "    ",
  space: "",
  entry: (key, value) => `${JSON.stringify(key)}: ${value}`,
  literal: (value) => (typeof value === "boolean" ? (value ? "True" : "False") : JSON.stringify(value)),
};

export function typescriptSample(body: CreateBody, origin: string): string {
  const { known, own } = split(body);
  const toLine = ([name, value]: Option) => `  ${name}: ${write(value, TYPESCRIPT, TYPESCRIPT.indent)},\n`;
  // TypeScript reports only the first of several.
  const note =
    own.length === 0 ? [] : ["  // @ts-expect-error Berth's own options are not in the SDK's types.\n"];
  const lines = [...known.map(toLine), ...note, ...own.map(toLine)];
  return `import Kernel from "@onkernel/sdk";

const kernel = new Kernel({
  baseURL: ${JSON.stringify(origin)},
  apiKey: process.env.${KEY},
});
const session = await kernel.browsers.create(${lines.length === 0 ? "" : `{\n${lines.join("")}}`});
console.log(session.cdp_ws_url);
`;
}

export function pythonSample(body: CreateBody, origin: string): string {
  const { known, own } = split(body);
  const options: Option[] = own.length === 0 ? known : [...known, ["extra_body", Object.fromEntries(own)]];
  const lines = options.map(([name, value]) => `    ${name}=${write(value, PYTHON, PYTHON.indent)},\n`);
  return `import os

from kernel import Kernel

kernel = Kernel(
    base_url=${JSON.stringify(origin)},
    api_key=os.environ["${KEY}"],
)
session = kernel.browsers.create(${lines.length === 0 ? "" : `\n${lines.join("")}`})
print(session.cdp_ws_url)
`;
}

export function curlSample(body: CreateBody, origin: string): string {
  const lines = [`curl -X POST ${quoteForShell(`${origin}/browsers`)}`, `-H "authorization: Bearer $${KEY}"`];
  const json = quoteForShell(JSON.stringify(body, null, 2));
  if (json !== "'{}'") lines.push('-H "content-type: application/json"', `-d ${json}`);
  return `${lines.join(" \\\n  ")}\n`;
}

/** An address that creates such a session when a client connects to it. */
export function connectURL(body: CreateBody, origin: string): string {
  const { name, timeout_seconds, viewport, viewport_mode: _, tags, ...rest } = body;
  const { profile, proxy_id, extensions, telemetry, ...same } = rest;
  const parameters = {
    session: name,
    timeout: timeout_seconds,
    viewport: viewport && `${viewport.width}x${viewport.height}`,
    ...same,
    proxy: proxy_id,
    profile: profile?.name ?? profile?.id,
    save_changes: profile?.save_changes,
    extensions: extensions?.map(({ id, name }) => name ?? id).join(","),
    ...Object.fromEntries(Object.entries(tags ?? {}).map(([key, value]) => [`tags.${key}`, value])),
    options: telemetry && JSON.stringify({ telemetry }),
  };
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const query = ["", ...(given.length === 0 ? [] : [new URLSearchParams(given)])].join("&");
  return `${origin.replace(/^http/, "ws")}/connect?token=$${KEY}${query}`;
}

/** In one line if it is short. */
function write(value: unknown, syntax: Syntax, indent: string): string {
  if (typeof value !== "object" || value === null) return syntax.literal(value);
  const inner = indent + syntax.indent;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => write(item, syntax, inner))
    : Object.entries(value).map(([key, item]) => syntax.entry(key, write(item, syntax, inner)));
  const [open, close] = isList ? "[]" : "{}";
  const space = isList ? "" : syntax.space;
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length <= MAX_LINE && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${inner}${item},\n`).join("")}${indent}${close}`;
}

function split(body: CreateBody): { known: Option[]; own: Option[] } {
  const isOwn = ([name]: Option) => OWN_OPTIONS.includes(name);
  const options = Object.entries(body);
  return { known: options.filter((option) => !isOwn(option)), own: options.filter(isOwn) };
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
