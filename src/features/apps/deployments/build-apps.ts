import { newIdentifier } from "../../../lib/common/identifiers.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { AppRow, DeploymentRow } from "../../../lib/database/schema/apps.ts";
import { addUsage } from "../../usage/index.ts";
import { AppError } from "./app-error.ts";
import { bundleApp } from "./bundle-app.ts";
import { describeApp } from "./describe-app.ts";
import { decryptEnvVars } from "./env-vars.ts";
import { deploymentFileKey } from "./files.ts";

/** One bundles the app, one loads it. */
const WORKERS = 2;

interface BuildOptions {
  packageGateway: Fetcher;
  signal: AbortSignal;
  log: (text: string) => void;
}

/** @returns the apps that the deployment defines. @throws AppError; the reason of `signal`. */
export async function buildApps(
  env: Env,
  row: DeploymentRow,
  { packageGateway, signal, log }: BuildOptions,
): Promise<AppRow[]> {
  const keyOf = (file: "source" | "bundle" | "sourceMap") =>
    deploymentFileKey(row.organizationId, row.id, file);
  const zip = await env.FILES.get(keyOf("source"));
  if (zip === null) throw new AppError("The uploaded zip has been deleted");
  await addUsage(openDatabase(env.DB), row, Date.now(), { dynamicWorkers: WORKERS });
  log(`Bundling ${row.entrypoint}`);
  const bundle = await bundleApp(env, {
    zip: zip.body,
    entrypoint: row.entrypoint,
    packageGateway,
    signal,
  });
  if (bundle.installed.length > 0) log(`Installed ${bundle.installed.join(", ")}`);
  log(`Loading the app (${bundle.code.length} characters)`);
  const described = await describeApp(env, bundle, await decryptEnvVars(env, row), signal);
  await Promise.all([
    env.FILES.put(keyOf("bundle"), bundle.code),
    env.FILES.put(keyOf("sourceMap"), bundle.sourceMap),
  ]);
  return described.map(({ name, actions }) => ({
    id: newIdentifier(),
    organizationId: row.organizationId,
    projectId: row.projectId,
    name,
    version: row.version,
    deploymentId: row.id,
    actions,
    createdAt: Date.now(),
    current: true,
  }));
}
