import type { DeploymentRow } from "../../database/schema/apps.ts";

/** What of a deployment is in R2. */
const FILE_NAMES = {
  /** The zip as it was uploaded, until something is made of it. */
  source: "source.zip",
  /** The one module that the app was bundled to. */
  bundle: "bundle.js",
  /** From positions in the bundle to those in the app's own files, for what fails. */
  sourceMap: "bundle.js.map",
} as const;

export type DeploymentFile = keyof typeof FILE_NAMES;

/** Where all files of deployments are in R2. */
export const DEPLOYMENTS_PREFIX = "deployments/";

type DeploymentReference = Pick<DeploymentRow, "id" | "organizationId">;

/** Where a file of a deployment is in R2. */
export function deploymentFileKey(
  organizationId: string,
  deploymentId: string,
  file: DeploymentFile,
): string {
  return `${DEPLOYMENTS_PREFIX}${organizationId}/${deploymentId}/${FILE_NAMES[file]}`;
}

/** The deployment whose file has this key. */
export function deploymentOfKey(key: string): string | undefined {
  return key.split("/")[2];
}

/**
 * The module that an app was bundled to, without its source map.
 *
 * @throws Error when it is not there any more.
 */
export function readBundle(env: Env, organizationId: string, deploymentId: string): Promise<string> {
  return readFile(env, organizationId, deploymentId, "bundle");
}

/**
 * The source map of {@link readBundle}, as JSON.
 *
 * @throws Error when it is not there any more.
 */
export function readSourceMap(env: Env, organizationId: string, deploymentId: string): Promise<string> {
  return readFile(env, organizationId, deploymentId, "sourceMap");
}

/** Removes the zip of a deployment. Doing it again is harmless. */
export async function deleteSource(env: Env, { organizationId, id }: DeploymentReference): Promise<void> {
  await env.FILES.delete(deploymentFileKey(organizationId, id, "source"));
}

/** Removes all files of a deployment. Doing it again is harmless. */
export async function deleteDeploymentFiles(
  env: Env,
  { organizationId, id }: DeploymentReference,
): Promise<void> {
  const files: DeploymentFile[] = ["source", "bundle", "sourceMap"];
  await env.FILES.delete(files.map((file) => deploymentFileKey(organizationId, id, file)));
}

async function readFile(
  env: Env,
  organizationId: string,
  deploymentId: string,
  file: DeploymentFile,
): Promise<string> {
  const object = await env.FILES.get(deploymentFileKey(organizationId, deploymentId, file));
  if (object === null) throw new Error(`The deployment ${deploymentId} has no ${FILE_NAMES[file]}`);
  return object.text();
}
