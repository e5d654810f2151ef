import type { RequestBody } from "../../api/client.ts";
import { KEY, quoteForShell } from "./snippets.ts";

export type CreateBody = RequestBody<"createBrowserSession">;

/** @param projectId absent: the project of the key. */
export function typescriptSample(body: CreateBody, origin: string, projectId?: string): string {
  // In JSON, only a key can begin a line with a quoted text and a colon.
  const options = JSON.stringify(body, null, 2)
    .replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, "$1$2:")
    // Without brackets, it would set the prototype.
    .replace(/^( *)__proto__:/gm, '$1["__proto__"]:')
    // An object with one value takes one line.
    .replace(/\{\n +([^\n{}]*)\n +\}/g, "{ $1 }")
    .replace(
      /^ {2}(record|region|machine|viewport_mode):/gm,
      "  // @ts-expect-error The SDK's types lack this option.\n  $1:",
    );
  return `${clientSample(origin, projectId)}
const session = await kernel.browsers.create(${options === "{}" ? "" : options});
console.log(session.cdp_ws_url);
`;
}

function clientSample(origin: string, projectId: string | undefined): string {
  return `import Kernel from "@onkernel/sdk";

const kernel = new Kernel({
  baseURL: ${JSON.stringify(origin)},
  apiKey: process.env.${KEY},${projectId === undefined ? "" : `\n  projectID: ${JSON.stringify(projectId)},`}
});`;
}

/** Code that acquires a browser of a pool and returns it. @param pool its name or id. */
export function acquireSample(pool: string, origin: string, projectId?: string): string {
  const name = JSON.stringify(pool);
  return `import { chromium } from "playwright-core";
${clientSample(origin, projectId)}
const { session_id, cdp_ws_url } = await kernel.browserPools.acquire(${name}, {});
const browser = await chromium.connectOverCDP(cdp_ws_url);
// Drive it here.
await browser.close();
await kernel.browserPools.release(${name}, { session_id });
`;
}

export function curlSample(body: CreateBody, origin: string, projectId?: string): string {
  const lines = [`curl -X POST ${quoteForShell(`${origin}/browsers`)}`, `-H "authorization: Bearer $${KEY}"`];
  if (projectId !== undefined) lines.push(`-H ${quoteForShell(`x-kernel-project-id: ${projectId}`)}`);
  const json = quoteForShell(JSON.stringify(body, null, 2));
  if (json !== "'{}'") lines.push('-H "content-type: application/json"', `-d ${json}`);
  return `${lines.join(" \\\n  ")}\n`;
}

/** An address that creates such a session when a client connects to it. */
export function connectURL(body: CreateBody, origin: string): string {
  // These addresses take every size.
  const { viewport_mode: _, ...options } = body;
  const { name, timeout_seconds, viewport, tags, profile, proxy_id, extensions, telemetry, ...same } =
    options;
  const parameters = {
    session: name,
    timeout: timeout_seconds,
    viewport: viewport && `${viewport.width}x${viewport.height}`,
    ...same,
    proxy: proxy_id,
    profile: profile?.id,
    save_changes: profile?.save_changes,
    extensions: extensions?.map(({ id }) => id).join(","),
    ...Object.fromEntries(Object.entries(tags ?? {}).map(([key, value]) => [`tags.${key}`, value])),
    options: telemetry && JSON.stringify({ telemetry }),
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return `${origin.replace(/^http/, "ws")}/connect?token=$${KEY}${query.size === 0 ? "" : `&${query}`}`;
}
