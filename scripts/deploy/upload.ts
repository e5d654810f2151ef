import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { makeTemporaryFolder, removeTemporaryFolder } from "../local/temporary-folder.ts";
import type { Cloudflare } from "./cloudflare.ts";

const deploymentSchema = z.object({ type: z.literal("deploy"), targets: z.array(z.string()).nullish() });

/**
 * Uploads the Worker.
 *
 * @param secrets values by name; other secrets stay.
 * @returns its address, if wrangler reports one.
 */
export function upload(
  cloudflare: Cloudflare,
  secrets: Readonly<Record<string, string>>,
): string | undefined {
  const folder = makeTemporaryFolder();
  try {
    // Not lines of `NAME=value`, in which wrangler replaces `$NAME` and ends a value at `#`.
    const secretsFile = join(folder, "secrets.json");
    writeFileSync(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
    const reportFile = join(folder, "report.ndjson");
    cloudflare.run(
      ["deploy", ...(Object.keys(secrets).length === 0 ? [] : ["--secrets-file", secretsFile])],
      {
        WRANGLER_OUTPUT_FILE_PATH: reportFile,
      },
    );
    return existsSync(reportFile) ? readAddress(readFileSync(reportFile, "utf8")) : undefined;
  } finally {
    removeTemporaryFolder(folder);
  }
}

function readAddress(report: string): string | undefined {
  for (const line of report.trim().split("\n")) {
    const entry = deploymentSchema.safeParse(JSON.parse(line));
    if (entry.success) return entry.data.targets?.find((target) => /^https?:\/\//.test(target));
  }
  return undefined;
}
