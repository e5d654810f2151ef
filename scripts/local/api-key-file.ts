import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { generateAPIKey } from "../../src/organizations/api-key.ts";
import { SetUpError } from "./set-up-error.ts";

/** The local organization's key: the given one, else that of the last start, else a new one; kept in a file. */
export function chooseAPIKey(file: string, given: string | undefined): string {
  const kept = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  const key = given || kept || generateAPIKey();
  // What a client can send as a bearer token.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new SetUpError("BERTH_API_KEY may hold visible ASCII characters only.");
  if (key !== kept) writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}
