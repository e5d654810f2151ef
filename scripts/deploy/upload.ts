import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder, removeTemporaryFolder } from "../local/temporary-folder.ts";
import { runWrangler, type Wrangler } from "./cloudflare.ts";

/** Shows new secrets before they take effect, because the upload may fail halfway. */
export function showSecrets(secrets: Readonly<Record<string, string>>): void {
  const lines = Object.entries(secrets).map(([name, value]) => `  export ${name}=${value}`);
  if (lines.length === 0) return;
  console.log(`
New secrets. Store them safely now: they are not shown again, and take effect once the Worker is uploaded.

${lines.join("\n")}`);
}

/**
 * Uploads the Worker.
 *
 * @param secrets values by name; other secrets are kept.
 * @returns its address, if wrangler reports one.
 * @throws SetUpError that says what failed. The secrets may already be in effect.
 */
export function upload(
  wrangler: Wrangler,
  secrets: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): string | undefined {
  using cleanUp = new DisposableStack();
  const folder = cleanUp.adopt(makeTemporaryFolder(), removeTemporaryFolder);
  // Not lines of `NAME=value`, in which wrangler replaces `$NAME` and ends a value at `#`.
  const secretsFile = join(folder, "secrets.json");
  writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
  const hasSecrets = Object.keys(secrets).length > 0;
  const options = [...args, ...(hasSecrets ? ["--secrets-file", secretsFile] : [])];
  return runWrangler(wrangler, "Uploading", "the Worker", ["deploy", ...options]);
}
