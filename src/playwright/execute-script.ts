import { sha256 } from "../common/hash.ts";
import type { Thrown } from "../dynamic-workers/index.ts";
import type { Caller } from "../organizations/index.ts";
import { compileScript, SCRIPT_MODULE } from "./compile-script.ts";
import { loadScript, runScript, type ScriptRun } from "./run-script.ts";
import { toScriptStack } from "./script-stack.ts";

export interface Execution extends Omit<ScriptRun, "key"> {
  code: string;
  caller: Pick<Caller, "organizationId" | "invocationId">;
}

/** What the script wrote, and how it ended. */
export type ScriptOutcome = { stdout: string; stderr: string } & (
  | { success: true; result: unknown }
  | { success: false; error: string }
);

type ScriptOutput = Pick<ScriptOutcome, "stdout" | "stderr">;

/**
 * Runs a script beside the browser of a session. Whatever the script does, its faults included, is an outcome.
 *
 * @throws ServiceError 501 where the deployment has no Dynamic Workers.
 */
export async function executeScript(env: Env, execution: Execution): Promise<ScriptOutcome> {
  const { code, caller, timeoutMs } = execution;
  const written: ScriptOutput = { stdout: "", stderr: "" };
  const compiled = await compileScript(env, code);
  if (!compiled.ok) return toFailure(toSyntaxError(compiled), written);
  const script = await loadScript(env, compiled.module);
  // Cloudflare bills each name: sessions of one caller share the Workers of a script, and runs of apps have their own.
  const key = `${caller.organizationId}-${caller.invocationId ?? ""}-${await sha256(code)}`;
  try {
    const result = await runScript(script, { ...execution, key }, ({ stream, text }) => {
      written[stream] += `${text}\n`;
    });
    if (!result.ok) return toFailure(result.thrown, written);
    return { success: true, result: JSON.parse(result.json), ...written };
  } catch (error) {
    return toFailure(toThrown(error, timeoutMs), written);
  }
}

function toFailure(thrown: Thrown, { stdout, stderr }: ScriptOutput): ScriptOutcome {
  const stack = toScriptStack(thrown);
  return {
    success: false,
    error: thrown.message || thrown.name,
    stdout,
    stderr: stack === "" ? stderr : `${stderr}${stack}\n`,
  };
}

function toSyntaxError({ message, line }: { message: string; line?: number }): Thrown {
  const name = "SyntaxError";
  if (line === undefined) return { name, message };
  const place = `${SCRIPT_MODULE}:${line}`;
  return { name, message: `${message} (${place})`, stack: `    at ${place}` };
}

/** What kept the script from telling itself how it ended. */
function toThrown(error: unknown, timeoutMs: number): Thrown {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  return { name, message: name === "TimeoutError" ? `Execution timed out after ${timeoutMs}ms` : message };
}
