import { ref, watch } from "vue";

/** An operation that the reference lets a reader call. */
export interface RequestTemplate {
  method: string;
  /** With parameters in braces, such as `/browsers/{id}`. */
  path: string;
  /** What the operation accepts as its bearer token. */
  credential: string;
  /** The query parameters. Those with choices take no other values. */
  query: { name: string; choices: string[] }[];
  /** An example body as JSON; absent if the operation takes none. */
  body?: string;
}

export interface RequestValues {
  credential: string;
  parameters: Record<string, string>;
  body: string;
}

export type Result =
  | { kind: "text"; status: string; text: string }
  | { kind: "image"; status: string; url: string };

/** By name, shared by all operations. The tab keeps them until it is closed. */
export const credentials = ref<Record<string, string>>({});

const STORED_CREDENTIALS = "credentials";

/** Called in a browser. */
export function keepCredentials(): void {
  try {
    Object.assign(credentials.value, JSON.parse(sessionStorage.getItem(STORED_CREDENTIALS) ?? "{}"));
    watch(credentials, (value) => sessionStorage.setItem(STORED_CREDENTIALS, JSON.stringify(value)), {
      deep: true,
    });
  } catch {
    // This browser stores nothing.
  }
}

const MAX_SHOWN_CHARACTERS = 100_000;

export function pathParameters({ path }: RequestTemplate): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
}

export function toURL(template: RequestTemplate, parameters: Record<string, string>): string {
  const path = template.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ""),
  );
  const query = new URLSearchParams();
  for (const { name } of template.query) {
    for (const [key, value] of queryEntries(name, parameters[name] ?? "")) query.append(key, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** `tags` is given as `team=backend, env=test`. */
function queryEntries(name: string, value: string): [string, string][] {
  if (value === "") return [];
  if (name !== "tags") return [[name, value]];
  return value.split(",").map((pair) => {
    const [key = "", ...rest] = pair.trim().split("=");
    return [`tags[${key}]`, rest.join("=")];
  });
}

export function toCurl(template: RequestTemplate, { parameters, body }: RequestValues): string {
  const variable = template.credential === "ADMIN_TOKEN" ? "ADMIN_TOKEN" : "KERNEL_API_KEY";
  const lines = [
    `curl -X ${template.method} "$KERNEL_BASE_URL${toURL(template, parameters)}"`,
    `-H "authorization: Bearer $${variable}"`,
  ];
  if (template.body !== undefined) {
    lines.push(`-H "content-type: application/json"`, `-d '${body.replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(" \\\n  ");
}

/** Calls the service that serves this page. @throws on network errors, and when aborted. */
export async function send(
  template: RequestTemplate,
  { credential, parameters, body }: RequestValues,
  { signal, onText }: { signal: AbortSignal; onText: (text: string) => void },
): Promise<Result> {
  const headers = { authorization: `Bearer ${credential}` };
  const response = await fetch(toURL(template, parameters), {
    method: template.method,
    signal,
    ...(template.body === undefined
      ? { headers }
      : { headers: { ...headers, "content-type": "application/json" }, body }),
  });
  const status = `${response.status} ${response.statusText}`.trim();
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("image/")) {
    return { kind: "image", status, url: URL.createObjectURL(await response.blob()) };
  }
  if (type.startsWith("text/event-stream"))
    return { kind: "text", status, text: await readStream(response, onText) };
  const isText = type === "" || /^(text\/|application\/json)/.test(type);
  const text = isText ? format(await response.text()) : `${(await response.blob()).size} bytes of ${type}`;
  return { kind: "text", status, text: text.slice(0, MAX_SHOWN_CHARACTERS) };
}

async function readStream({ body }: Response, onText: (text: string) => void): Promise<string> {
  let text = "";
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return text;
    text = (text + chunk.value).slice(-MAX_SHOWN_CHARACTERS);
    onText(text);
  }
}

function format(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
