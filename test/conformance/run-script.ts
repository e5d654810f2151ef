import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { ROOT } from "./service-client.ts";

export interface ScriptResult {
  code: number | null;
  output: string;
}

/** Variables that a developer may have set. */
const UNSET = [
  "CLOUDFLARE_ACCOUNT_ID",
  "CLOUDFLARE_API_TOKEN",
  "KERNEL_BASE_URL",
  "TOKEN_SECRET",
  "ENCRYPTION_KEY",
  "ADMIN_TOKEN",
  "BROWSER_ACCOUNTS_TOKEN",
  "HOSTS_TOKEN",
];

/** Runs a script of `scripts/`, without a terminal. */
export async function runScript(
  name: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<ScriptResult> {
  const child = spawn(process.execPath, ["scripts/bootstrap.mjs", `scripts/${name}.ts`, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...inherited(), ...environment },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: child.exitCode, output: stdout + stderr };
}

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !UNSET.includes(name)));
}
