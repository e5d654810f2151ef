import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { DEV_VARS } from "../local/dev-vars.ts";

/** Returns ENCRYPTION_KEY from the environment or, for a local service, from .dev.vars. */
export function readEncryptionKey(isLocal: boolean): string | undefined {
  if (process.env.ENCRYPTION_KEY || !isLocal || !existsSync(DEV_VARS)) return process.env.ENCRYPTION_KEY;
  return parseEnv(readFileSync(DEV_VARS, "utf8")).ENCRYPTION_KEY;
}
