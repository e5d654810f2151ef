import { sha256 } from "../../lib/common/hash.ts";
import type { Thrown } from "../../platform/dynamic-workers/index.ts";
import type { Caller } from "../organizations/index.ts";
import { compileScript, SCRIPT_MODULE } from "./compile-script.ts";
import { OverrunTurns } from "./overrun-turns.ts";
import { loadScript, runScript, type ScriptRun } from "./run-script.ts";
import { toScriptStack } from "./script-stack.ts";

export interface Execution extends Omit<ScriptRun, "key"> {
  code: string;
  caller: Pick<Caller, "organizationId" | "invocationId">;
}

type ScriptOutcome = { stdout: string; stderr: string } & (
  | { success: true; result: unknown }
  | { success: false; error: string }
);

type ScriptOutput = Pick<ScriptOutcome, "stdout" | "stderr">;

const turns = new OverrunTurns();

/** Script errors are outcomes. @throws ServiceError 501 without Dynamic Workers, 429 when it must wait. */
export async function executeScript(env: Env, execution: Execution): Promise<ScriptOutcome> {
  const { code, caller, timeoutMs } = execution;
  const output: ScriptOutput = { stdout: "", stderr: "" };
  // Compiling also takes time away from others.
  turns.check(caller.organizationId);
  const compiled = await compileScript(env, { code, organizationId: caller.organizationId });
  if (!compiled.ok) return toFailure(toSyntaxError(compiled), output);
  const script = await loadScript(env, compiled.module);
  await turns.wait(caller.organizationId);
  // Cloudflare bills each Worker name, so all sessions of an organization or a run share one for the script.
  const key = `${caller.organizationId}-${caller.invocationId ?? ""}-${await sha256(code)}`;
  try {
    const result = await runScript(script, { ...execution, key }, ({ stream, text }) => {
      output[stream] += `${text}\n`;
    });
    turns.end(caller.organizationId, !result.ok && result.overran === true);
    if (!result.ok) return toFailure(result.thrown, output);
    return { success: true, result: JSON.parse(result.json), ...output };
  } catch (error) {
    return toFailure(toThrown(error, timeoutMs), output);
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

function toThrown(error: unknown, timeoutMs: number): Thrown {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message } = error;
  return { name, message: name === "TimeoutError" ? `Execution timed out after ${timeoutMs}ms` : message };
}
