import type { Schemas } from "../../api/client.ts";

export type Call = Pick<Schemas["Invocation"], "app_name" | "action_name" | "version"> & {
  /** JSON. */
  payload?: string;
  async?: true;
  async_timeout_seconds?: number;
};

/** The call as a command. The key comes from the environment. */
export function toCurl(origin: string, call: Call): string {
  return [
    `curl ${quoteShell(`${origin}/invocations`)}`,
    `-H "authorization: Bearer $KERNEL_API_KEY"`,
    `-H 'content-type: application/json'`,
    `-d ${quoteShell(JSON.stringify(call, null, 2))}`,
  ].join(" \\\n  ");
}

/** The call as a program. The key comes from the environment. */
export function toSDK(origin: string, call: Call): string {
  const lines = Object.entries(call).map(
    ([name, value]) => `  ${name}: ${typeof value === "string" ? quoteScript(value) : value},`,
  );
  return `import Kernel from "@onkernel/sdk";

const kernel = new Kernel({
  baseURL: ${quoteScript(origin)},
  apiKey: process.env.KERNEL_API_KEY,
});
const invocation = await kernel.invocations.create({
${lines.join("\n")}
});
console.log(invocation.status, invocation.output);
`;
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Single quotes where they need less escapes. */
function quoteScript(text: string): string {
  const quoted = JSON.stringify(text);
  if (!text.includes('"') || text.includes("'")) return quoted;
  return `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}
