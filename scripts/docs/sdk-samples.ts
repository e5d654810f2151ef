/** A call of an operation, as samples show it. */
export interface SampleCall {
  method: string;
  /** With parameters in braces, such as `/browsers/{id}`. */
  path: string;
  /** Examples of the required query parameters. */
  query: Record<string, unknown>;
  /** An example body. */
  body?: unknown;
}

const ROW = /^\| `([\w.]+)` \| `([A-Z]+) ([^`]+)` \| (?!501)/gm;

/** The SDK's methods by route, such as `GET /browsers/{}`. @param matrix docs/compatibility.md */
export function readSDKMethods(matrix: string): Map<string, string> {
  const rows = [...matrix.matchAll(ROW)];
  return new Map(rows.map(([, name = "", method = "", path = ""]) => [routeKey(method, path), name]));
}

const routeKey = (method: string, path: string) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;

/** Markdown of a call with the SDK for TypeScript and for Python. */
export function sdkSamples(call: SampleCall, methods: ReadonlyMap<string, string>): string {
  const method = methods.get(routeKey(call.method, call.path));
  const [script, python] = method === undefined ? rawCallsOf(call) : callsOf(call, method);
  return `::: details SDK samples
\`\`\`ts
import Kernel from "@onkernel/sdk";

const kernel = new Kernel();
const answer = await ${script};
\`\`\`

\`\`\`python
from kernel import Kernel

kernel = Kernel()
answer = ${python}
\`\`\`
:::`;
}

/** The SDKs take the last parameter of the path by position, and the others with the fields. */
function callsOf({ path, query, body }: SampleCall, method: string): [script: string, python: string] {
  const names = parametersOf(path);
  const positional = names.slice(-1).map(exampleOf);
  const named = Object.fromEntries(names.slice(0, -1).map((name) => [name, exampleOf(name)]));
  const fields = { ...named, ...query, ...(isObject(body) ? body : {}) };
  const script = [...positional.map(toScript), ...(Object.keys(fields).length > 0 ? [toScript(fields)] : [])];
  const python = [
    ...positional.map((value) => toPython(value)),
    ...Object.entries(fields).map(([name, value]) => `${name}=${toPython(value)}`),
  ];
  return [`kernel.${method}(${script.join(", ")})`, `kernel.${toSnakeCase(method)}(${python.join(", ")})`];
}

function rawCallsOf({ method, path, query, body }: SampleCall): [script: string, python: string] {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const url = JSON.stringify(`${filled(path)}${search.size > 0 ? `?${search}` : ""}`);
  const name = method.toLowerCase();
  return [
    `kernel.${name}(${url}${body === undefined ? "" : `, ${toScript({ body })}`})`,
    `kernel.${name}(${url}, cast_to=object${body === undefined ? "" : `, body=${toPython(body)}`})`,
  ];
}

const parametersOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

const exampleOf = (name: string) =>
  name.endsWith("_or_name") ? "my-name" : `the-${name.replaceAll("_", "-")}`;

const filled = (path: string) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOf(name));

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Keys that are names are written without quotes. */
const toScript = (value: unknown) =>
  JSON.stringify(value, null, 2).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:");

function toPython(value: unknown, indent = ""): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (!isObject(value)) return JSON.stringify(value);
  const inner = `${indent}    `;
  const parts = Array.isArray(value)
    ? value.map((item) => toPython(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${toPython(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0
    ? `${open}${close}`
    : `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

const toSnakeCase = (name: string) =>
  name.replaceAll(
    /([a-z])([A-Z]+)/g,
    (_, before: string, capitals: string) => `${before}_${capitals.toLowerCase()}`,
  );
