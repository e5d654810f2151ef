/** Names of the resources of a deployment. */
export const NAMES = { worker: "berth", database: "berth", bucket: "berth" } as const;

/** The resources that an account already has. */
export interface Inventory {
  account: { id: string; name: string };
  /** Names of the Worker's secrets, or undefined without a Worker. */
  workerSecrets: readonly string[] | undefined;
  databaseId: string | undefined;
  hasBucket: boolean;
}

/** Returns a line for each step of a deployment. */
export function describeDeployment(inventory: Inventory, missingSecrets: readonly string[]): string[] {
  const isUpgrade = inventory.workerSecrets !== undefined;
  const verb = (exists: boolean) => (!exists ? "create  " : isUpgrade ? "keep    " : "take over");
  return [
    `${isUpgrade ? "replace " : "create  "}  the Worker ${NAMES.worker}${isUpgrade ? ": clients have to reconnect, sessions continue" : ""}`,
    `${verb(inventory.databaseId !== undefined)}  the D1 database ${NAMES.database}, and apply new migrations to it`,
    `${verb(inventory.hasBucket)}  the R2 bucket ${NAMES.bucket}`,
    ...(missingSecrets.length > 0 ? [`create    the secrets ${missingSecrets.join(", ")}`] : []),
  ];
}

/** Returns a line for each resource to delete. */
export function describeRemoval(inventory: Inventory): string[] {
  return [
    ...(inventory.workerSecrets === undefined
      ? []
      : [`delete  the Worker ${NAMES.worker}, with its sessions, pools, logs and secrets`]),
    ...(inventory.databaseId === undefined
      ? []
      : [`delete  the D1 database ${NAMES.database}, with organizations, API keys and all metadata`]),
    ...(inventory.hasBucket ? [`delete  the R2 bucket ${NAMES.bucket}, if it is empty`] : []),
  ];
}
