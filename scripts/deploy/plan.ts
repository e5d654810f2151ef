/** Names of what a deployment makes in an account. */
export const NAMES = { worker: "berth", database: "berth", bucket: "berth" } as const;

/** What an account has of it. */
export interface Inventory {
  account: { id: string; name: string };
  /** Names of its secrets; undefined: there is no Worker of this name. */
  workerSecrets: readonly string[] | undefined;
  databaseId: string | undefined;
  hasBucket: boolean;
}

/** What a deployment will do, a line each. */
export function describeDeployment(found: Inventory, missingSecrets: readonly string[]): string[] {
  const isUpgrade = found.workerSecrets !== undefined;
  const verb = (exists: boolean) => (!exists ? "create  " : isUpgrade ? "keep    " : "take over");
  return [
    `${isUpgrade ? "replace " : "create  "}  the Worker ${NAMES.worker}${isUpgrade ? ": clients reconnect, sessions go on" : ""}`,
    `${verb(found.databaseId !== undefined)}  the D1 database ${NAMES.database}, and apply new migrations to it`,
    `${verb(found.hasBucket)}  the R2 bucket ${NAMES.bucket}`,
    ...(missingSecrets.length > 0 ? [`create    the secrets ${missingSecrets.join(", ")}`] : []),
  ];
}

/** What is removed, a line each; none where there is nothing. */
export function describeRemoval(found: Inventory): string[] {
  return [
    ...(found.workerSecrets === undefined
      ? []
      : [`delete  the Worker ${NAMES.worker}, with its sessions, pools, logs and secrets`]),
    ...(found.databaseId === undefined
      ? []
      : [`delete  the D1 database ${NAMES.database}, with organizations, keys and the index of everything`]),
    ...(found.hasBucket ? [`delete  the R2 bucket ${NAMES.bucket}, if it is empty`] : []),
  ];
}
