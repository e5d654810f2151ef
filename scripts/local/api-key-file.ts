import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { generateAPIKey } from "../../src/features/organizations/api-keys/api-key.ts";
import { SetUpError } from "./set-up-error.ts";

/** Returns and stores the local organization's key: the configured, else the stored, else a new one. */
export function chooseAPIKey(file: string, configured: string | undefined): string {
  const stored = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const key = configured || stored || generateAPIKey();
  // Clients send the key as a bearer token.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new SetUpError("BERTH_API_KEY must consist of visible ASCII characters.");
  if (key !== stored) writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}
