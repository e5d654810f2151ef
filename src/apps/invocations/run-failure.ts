import type { InvocationRow } from "../../database/schema/apps.ts";
import type { Thrown } from "../../dynamic-workers/run-messages.ts";
import { logError } from "../../log.ts";
import { readSourceMap } from "../deployments/deployment-files.ts";
import { toSourcePositions } from "../source-positions.ts";

/** What code throws may be of any length. */
const LONGEST_REASON = 4096;

/** Why an action failed, and where, with positions in the app's own files. */
export interface RunFailure {
  reason: string;
  /** Absent where what was thrown has none. */
  stack?: string;
}

export async function describeFailure(
  env: Env,
  row: Pick<InvocationRow, "organizationId" | "deploymentId">,
  { name, message, stack }: Thrown,
): Promise<RunFailure> {
  const text = message === "" ? name : name === "Error" ? message : `${name}: ${message}`;
  const sourceMap = await readMap(env, row);
  const locate = (text: string) => (sourceMap === undefined ? text : toSourcePositions(text, sourceMap));
  const reason = locate(text.replace(/^Failed to start Worker:\n(Uncaught )?/, "")).trimEnd();
  return {
    reason: reason.length <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON)}…`,
    ...(stack === undefined ? {} : { stack: locate(stack) }),
  };
}

/** A failure without its source map is better than none. */
async function readMap(
  env: Env,
  { organizationId, deploymentId }: Pick<InvocationRow, "organizationId" | "deploymentId">,
): Promise<string | undefined> {
  try {
    return await readSourceMap(env, organizationId, deploymentId);
  } catch (error) {
    logError("source_map_not_read", error, { deployment_id: deploymentId });
    return undefined;
  }
}
