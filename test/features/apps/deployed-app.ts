import { env } from "cloudflare:workers";
import { encryptEnvVars } from "../../../src/features/apps/deployments/env-vars.ts";
import { type DeploymentFile, deploymentFileKey } from "../../../src/features/apps/deployments/files.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { type AppRow, apps, deployments } from "../../../src/lib/database/schema/apps.ts";
import type { Client } from "../../api.ts";

/** Maps every line of the bundle to one file. */
const SOURCE_MAP = {
  version: 3,
  sources: ["index.ts"],
  names: [],
  mappings: ["AAAA", ...Array.from({ length: 200 }, () => "AACA")].join(";"),
};

export interface DeployedAppOptions {
  version?: string;
  envVars?: Record<string, string>;
}

/**
 * Stores an app as a finished deployment would, without bundling it.
 *
 * @param actions function body by action name, with `context`, `payload`, `kernel` and `app` in scope.
 * @param head code placed before, such as imports.
 */
export async function deployApp(
  client: Client,
  actions: Record<string, string>,
  { version = "latest", envVars = {}, head = "" }: DeployedAppOptions & { head?: string } = {},
): Promise<AppRow> {
  const deploymentId = newIdentifier();
  const name = `app-${deploymentId.slice(0, 6)}`;
  const definitions = Object.entries(actions).map(
    ([action, body]) => `app.action(${JSON.stringify(action)}, async (context, payload) => { ${body} });`,
  );
  const bundle = [
    head,
    'import Kernel from "@onkernel/sdk";',
    "const kernel = new Kernel({ maxRetries: 0 });",
    `const app = kernel.app(${JSON.stringify(name)});`,
    ...definitions,
  ].join("\n");
  const put = (file: DeploymentFile, text: string) =>
    env.FILES.put(deploymentFileKey(client.organizationId, deploymentId, file), text);
  await put("bundle", bundle);
  await put("sourceMap", JSON.stringify(SOURCE_MAP));
  const database = openDatabase(env.DB);
  const now = Date.now();
  const row: AppRow = {
    projectId: "",
    id: newIdentifier(),
    organizationId: client.organizationId,
    name,
    version,
    deploymentId,
    actions: Object.keys(actions),
    createdAt: now,
    current: true,
  };
  await database.insert(deployments).values({
    id: deploymentId,
    organizationId: client.organizationId,
    state: "running",
    stateReason: null,
    version,
    force: false,
    entrypoint: "index.ts",
    sourceChecksum: "0".repeat(64),
    envNames: Object.keys(envVars),
    envVars: await encryptEnvVars(env, deploymentId, envVars),
    createdAt: now,
    updatedAt: now,
  });
  await database.insert(apps).values(row);
  return row;
}
