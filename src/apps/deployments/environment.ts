import { z } from "zod";
import type { DeploymentRow } from "../../database/schema/apps.ts";
import { decryptText, encryptText } from "../../encryption.ts";

const variablesSchema = z.record(z.string(), z.string());

/** Environment variables with their values, encrypted for the deployment; null: there are none. */
export async function sealEnvVars(
  env: Env,
  deploymentId: string,
  variables: Record<string, string>,
): Promise<string | null> {
  if (Object.keys(variables).length === 0) return null;
  return encryptText(env, owner(deploymentId), JSON.stringify(variables));
}

/**
 * A deployment's environment variables with their values.
 *
 * @throws DecryptionError when the key that encrypted them is gone.
 */
export async function readEnvVars(
  env: Env,
  { id, envVars }: Pick<DeploymentRow, "id" | "envVars">,
): Promise<Record<string, string>> {
  if (envVars === null) return {};
  return variablesSchema.parse(JSON.parse(await decryptText(env, owner(id), envVars)));
}

function owner(deploymentId: string): string {
  return `deployment:${deploymentId}`;
}
