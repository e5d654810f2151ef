import { z } from "zod";
import { decryptText, encryptText } from "../../common/encryption.ts";
import { badRequest } from "../../common/errors.ts";
import type { DeploymentRow } from "../../database/schema/apps.ts";

/** Those that the service sets itself. */
const RESERVED_NAMES = ["KERNEL_API_KEY", "KERNEL_BASE_URL", "ENTRYPOINT_RELPATH"];

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MAX_NAME_LENGTH = 255;
const MAX_VARIABLES = 200;

/** Bytes of names and values of all, in UTF-8: what is encrypted is a row's. */
const MAX_TOTAL_BYTES = 256 * 1024;

const variablesSchema = z.record(z.string(), z.string());

/** The environment variables of a form, as they are read: no more of them is held than may be. */
export class EnvVarsForm {
  /** All as one object, as some clients send them. */
  readonly #together = new Map<string, string>();
  /** Single ones, which win. */
  readonly #single = new Map<string, string>();
  #count = 0;
  #bytes = 0;

  /** @throws ServiceError 400 that names the variable, and never its value; or env_vars where it is one too many. */
  add(name: string, value: string): void {
    this.#take(this.#single, name, value);
  }

  /** @throws ServiceError 400 as `add` does, and where it is no JSON of an object with texts. */
  addObject(json: string): void {
    for (const [name, value] of Object.entries(readObject(json))) this.#take(this.#together, name, value);
  }

  read(): Record<string, string> {
    return Object.fromEntries([...this.#together, ...this.#single]);
  }

  #take(variables: Map<string, string>, name: string, value: string): void {
    requireValidName(name);
    this.#count += 1;
    this.#bytes += bytesOf(name) + bytesOf(value);
    if (this.#count > MAX_VARIABLES || this.#bytes > MAX_TOTAL_BYTES) {
      throw badRequest({
        field: "env_vars",
        message: `may be at most ${MAX_VARIABLES} variables with ${MAX_TOTAL_BYTES} bytes in all`,
      });
    }
    variables.set(name, value);
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function requireValidName(name: string): void {
  const field = `env_vars[${name}]`;
  if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
    throw badRequest({ field, message: "a name has letters, digits and _ only, and begins with no digit" });
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
      message: "must be an object with texts, as JSON, or env_vars[NAME], or env_vars.NAME",
    });
  }
}

/** Environment variables with their values, encrypted for the deployment; null: there are none. */
export async function encryptEnvVars(
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
export async function decryptEnvVars(
  env: Env,
  { id, envVars }: Pick<DeploymentRow, "id" | "envVars">,
): Promise<Record<string, string>> {
  if (envVars === null) return {};
  return variablesSchema.parse(JSON.parse(await decryptText(env, owner(id), envVars)));
}

function owner(deploymentId: string): string {
  return `deployment:${deploymentId}`;
}
