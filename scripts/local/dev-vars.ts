import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { writeNewFile } from "./new-file.ts";
import { ROOT } from "./paths.ts";
import { SetUpError } from "./set-up-error.ts";

const SECRET_GENERATORS: Readonly<Record<string, () => string>> = {
  TOKEN_SECRET: () => randomBytes(32).toString("base64url"),
  ENCRYPTION_KEY: () => randomBytes(32).toString("base64"),
  ADMIN_TOKEN: () => randomBytes(32).toString("base64url"),
};

export const SECRET_NAMES = Object.keys(SECRET_GENERATORS);

const DEV_VARS = join(ROOT, ".dev.vars");

/** Creates .dev.vars if it does not exist. @throws SetUpError when an existing file lacks secrets. */
export function prepareDevVars(path = DEV_VARS): void {
  if (!existsSync(path) && writeNewFile(path, generateSecretLines(SECRET_NAMES))) {
    console.log("Created .dev.vars with new secrets.");
  }
  const missing = missingSecrets(readFileSync(path, "utf8"));
  if (missing.length === 0) return;
  throw new SetUpError(
    `${path} lacks ${missing.join(" and ")}. Add to it:\n\n${generateSecretLines(missing)}`,
  );
}

export function readDevVars() {
  return parseEnv(readFileSync(DEV_VARS, "utf8"));
}

/** Returns ENCRYPTION_KEY from the environment or, for a local service, from .dev.vars. */
export function readEncryptionKey(isLocal: boolean): string | undefined {
  if (process.env.ENCRYPTION_KEY || !isLocal || !existsSync(DEV_VARS)) return process.env.ENCRYPTION_KEY;
  return readDevVars().ENCRYPTION_KEY;
}

export function missingSecrets(text: string): string[] {
  const present = parseEnv(text);
  return SECRET_NAMES.filter((name) => !present[name]);
}

export function generateSecrets(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, SECRET_GENERATORS[name]?.() ?? ""]));
}

function generateSecretLines(names: readonly string[]): string {
  const secrets = Object.entries(generateSecrets(names));
  return secrets.map(([name, value]) => `${name}=${value}\n`).join("");
}
