import { z } from "zod";
import type { DeploymentRow } from "../../database/schema/apps.ts";
import { decryptText, encryptText } from "../../encryption.ts";
import { badRequest } from "../../http/errors.ts";

/** Those that the service sets itself. */
const RESERVED_NAMES = ["KERNEL_API_KEY", "KERNEL_BASE_URL", "ENTRYPOINT_RELPATH"];

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const LONGEST_NAME = 255;
const MOST_VARIABLES = 200;

/** Names and values of all, in characters: what is encrypted is a row's. */
const LARGEST_TOTAL = 64 * 1024;

const variablesSchema = z.record(z.string(), z.string());

/**
 * The environment variables of a form.
 *
 * @param json all as one object, as some clients send them; undefined: none.
 * @param variables single ones, which win.
 * @throws ServiceError 400 that names the variable, and never its value.
 */
export function readEnvironmentForm(
  json: string | undefined,
  variables: [name: string, value: string][],
): Record<string, string> {
  const all = new Map([...Object.entries(readObject(json)), ...variables]);
  for (const name of all.keys()) {
    const field = `env_vars[${name}]`;
    if (!NAME.test(name) || name.length > LONGEST_NAME) {
      throw badRequest({ field, message: "a name has letters, digits and _ only, and begins with no digit" });
    }
    if (RESERVED_NAMES.includes(name)) {
      throw badRequest({ field, message: "is reserved: the service sets it for each invocation" });
    }
  }
  const total = [...all].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (all.size > MOST_VARIABLES || total > LARGEST_TOTAL) {
    throw badRequest({
      field: "env_vars",
      message: `may be at most ${MOST_VARIABLES} variables with ${LARGEST_TOTAL} characters in all`,
    });
  }
  return Object.fromEntries(all);
}

function readObject(json: string | undefined): Record<string, string> {
  if (!json) return {};
  try {
    return variablesSchema.parse(JSON.parse(json));
  } catch {
    throw badRequest({
      field: "env_vars",
      message: "must be an object with texts, as JSON, or env_vars[NAME], or env_vars.NAME",
    });
  }
}

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
