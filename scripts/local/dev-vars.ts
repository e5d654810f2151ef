import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { writeNewFile } from "./new-file.ts";
import { ROOT } from "./paths.ts";
import { SetUpError } from "./set-up-error.ts";

/** The secrets every deployment needs, and how a fresh one is made. */
const SECRET_GENERATORS: Readonly<Record<string, () => string>> = {
  TOKEN_SECRET: () => randomBytes(32).toString("base64url"),
  ENCRYPTION_KEY: () => randomBytes(32).toString("base64"),
  ADMIN_TOKEN: () => randomBytes(32).toString("base64url"),
};

export const SECRET_NAMES = Object.keys(SECRET_GENERATORS);

export const DEV_VARS = join(ROOT, ".dev.vars");

/**
 * Makes .dev.vars with fresh secrets when there is none; an existing one is only looked at.
 *
 * @throws SetUpError that names what an existing file lacks.
 */
export function prepareDevVars(path = DEV_VARS): void {
  if (!existsSync(path) && writeNewFile(path, freshSecretLines(SECRET_NAMES))) {
    console.log("Made .dev.vars with fresh secrets.");
  }
  const missing = missingSecrets(readFileSync(path, "utf8"));
  if (missing.length === 0) return;
  throw new SetUpError(
    `${path} has no ${missing.join(" and no ")}. It is yours, so nothing was changed; add to it:\n\n` +
      freshSecretLines(missing),
  );
}

/** Names of the secrets that the text of a .dev.vars lacks. */
export function missingSecrets(text: string): string[] {
  const present = parseEnv(text);
  return SECRET_NAMES.filter((name) => !present[name]);
}

/** Lines `NAME=value` with new values. */
export function freshSecretLines(names: readonly string[]): string {
  return names.map((name) => `${name}=${SECRET_GENERATORS[name]?.()}\n`).join("");
}
