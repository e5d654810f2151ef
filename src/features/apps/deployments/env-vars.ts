import { z } from "zod";
import { decryptText, encryptText } from "../../../lib/common/encryption.ts";
import { badRequest } from "../../../lib/common/errors.ts";
import type { DeploymentRow } from "../../../lib/database/schema/apps.ts";

const RESERVED_NAMES = ["KERNEL_API_KEY", "KERNEL_BASE_URL", "ENTRYPOINT_RELPATH"];

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_NAME_LENGTH = 255;
const MAX_VARIABLES = 200;

/** In UTF-8, names included. All of them are stored in one row. */
const MAX_TOTAL_BYTES = 256 * 1024;

const variablesSchema = z.record(z.string(), z.string());

export class EnvVarsForm {
  readonly #objectVars = new Map<string, string>();
  /** Fields for one variable override those of an object. */
  readonly #fieldVars = new Map<string, string>();
  #count = 0;
  #bytes = 0;

  add(name: string, value: string): void {
    this.#store(this.#fieldVars, name, value);
  }

  /** @throws ServiceError 400 that names the variable, or `env_vars` if the JSON is no object of strings. */
  addObject(json: string): void {
    for (const [name, value] of Object.entries(readObject(json))) this.#store(this.#objectVars, name, value);
  }

  read(): Record<string, string> {
    return Object.fromEntries([...this.#objectVars, ...this.#fieldVars]);
  }

  #store(variables: Map<string, string>, name: string, value: string): void {
    requireValidName(name);
    this.#count += 1;
    this.#bytes += byteLength(name) + byteLength(value);
    if (this.#count > MAX_VARIABLES || this.#bytes > MAX_TOTAL_BYTES) {
      throw badRequest({
        field: "env_vars",
        message: `must have at most ${MAX_VARIABLES} variables and ${MAX_TOTAL_BYTES} bytes in total`,
      });
    }
    variables.set(name, value);
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function requireValidName(name: string): void {
  const field = `env_vars[${name}]`;
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    throw badRequest({
      field,
      message: "must consist of letters, digits and _, and must not start with a digit",
    });
  }
  if (RESERVED_NAMES.includes(name)) {
    throw badRequest({ field, message: "is reserved: the service sets it for each invocation" });
  }
}

function readObject(json: string): Record<string, string> {
  if (json === "") return {};
  try {
    return variablesSchema.parse(JSON.parse(json));
  } catch {
    throw badRequest({
      field: "env_vars",
      message: "must be a JSON object of strings, or fields env_vars[NAME] or env_vars.NAME",
    });
  }
}

export async function encryptEnvVars(
  env: Env,
  deploymentId: string,
  variables: Record<string, string>,
): Promise<string | null> {
  if (Object.keys(variables).length === 0) return null;
  return encryptText(env, encryptionContext(deploymentId), JSON.stringify(variables));
}

/** @throws DecryptionError when the key that encrypted them is gone. */
export async function decryptEnvVars(
  env: Env,
  { id, envVars }: Pick<DeploymentRow, "id" | "envVars">,
): Promise<Record<string, string>> {
  if (envVars === null) return {};
  return variablesSchema.parse(JSON.parse(await decryptText(env, encryptionContext(id), envVars)));
}

function encryptionContext(deploymentId: string): string {
  return `deployment:${deploymentId}`;
}
