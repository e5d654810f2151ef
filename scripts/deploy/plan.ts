/** Names of a deployment's resources. */
export const NAMES = { worker: "berth", database: "berth", bucket: "berth" } as const;

/** The resources that an account already has. */
export interface Inventory {
  account: { id: string; name: string };
  /** Names of the Worker's secrets, or undefined without a Worker. */
  workerSecrets: readonly string[] | undefined;
  databaseId: string | undefined;
  hasBucket: boolean;
}

/** Names of the secrets to upload. */
interface NewSecrets {
  generated: readonly string[];
  /** From the environment. */
  given: readonly string[];
}

/** Returns a line for each step of a deployment. */
export function describeDeployment(inventory: Inventory, { generated, given }: NewSecrets): string[] {
  const isUpgrade = inventory.workerSecrets !== undefined;
  const verb = (exists: boolean) => (!exists ? "create  " : isUpgrade ? "keep    " : "take over");
  return [
    `${isUpgrade ? "replace " : "create  "}  the Worker ${NAMES.worker}${isUpgrade ? ": clients must reconnect; sessions continue" : ""}`,
    `${verb(inventory.databaseId !== undefined)}  the D1 database ${NAMES.database}, and apply new migrations to it`,
    `${verb(inventory.hasBucket)}  the R2 bucket ${NAMES.bucket}`,
    ...(generated.length > 0 ? [`create    the secrets ${generated.join(", ")}`] : []),
    ...(given.length > 0 ? [`set       ${given.join(", ")} from the environment`] : []),
  ];
}

/** Lists the steps. @param url of the service whose sessions end; undefined: it or the token is unknown. */
export function describeRemoval(inventory: Inventory, url: string | undefined): string[] {
  const sessions = url
    ? `end     all sessions of ${url}, by disabling all its organizations`
    : "leave   running browsers to Cloudflare, because KERNEL_BASE_URL and ADMIN_TOKEN are not both set";
  return [
    ...(inventory.workerSecrets === undefined
      ? []
      : [sessions, `delete  the Worker ${NAMES.worker}, with its schedule, pools, logs and secrets`]),
    ...(inventory.databaseId === undefined
      ? []
      : [`delete  the D1 database ${NAMES.database}, with organizations, API keys and all metadata`]),
    ...(inventory.hasBucket ? [`delete  the R2 bucket ${NAMES.bucket}, with all files`] : []),
  ];
}
