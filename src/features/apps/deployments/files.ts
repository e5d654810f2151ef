import type { DeploymentRow } from "../../../lib/database/schema/apps.ts";

const FILE_NAMES = {
  /** Deleted once it is bundled. */
  source: "source.zip",
  bundle: "bundle.js",
  sourceMap: "bundle.js.map",
} as const;

export type DeploymentFile = keyof typeof FILE_NAMES;

export const DEPLOYMENTS_PREFIX = "deployments/";

type DeploymentReference = Pick<DeploymentRow, "id" | "organizationId">;

export function deploymentFileKey(
  organizationId: string,
  deploymentId: string,
  file: DeploymentFile,
): string {
  return `${DEPLOYMENTS_PREFIX}${organizationId}/${deploymentId}/${FILE_NAMES[file]}`;
}

export function deploymentOfKey(key: string): string | undefined {
  return key.split("/")[2];
}

export async function deleteSource(env: Env, { organizationId, id }: DeploymentReference): Promise<void> {
  await env.FILES.delete(deploymentFileKey(organizationId, id, "source"));
}

export async function deleteDeploymentFiles(
  env: Env,
  { organizationId, id }: DeploymentReference,
): Promise<void> {
  const files: DeploymentFile[] = ["source", "bundle", "sourceMap"];
  await env.FILES.delete(files.map((file) => deploymentFileKey(organizationId, id, file)));
}

/** @throws Error when the file is deleted. */
export async function readDeploymentFile(
  env: Env,
  organizationId: string,
  deploymentId: string,
  file: DeploymentFile,
): Promise<string> {
  const object = await env.FILES.get(deploymentFileKey(organizationId, deploymentId, file));
  if (object === null) throw new Error(`The deployment ${deploymentId} has no ${FILE_NAMES[file]}`);
  return object.text();
}
