import { and, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../../database/client.ts";
import { type AppRow, apps, type DeploymentRow, deployments } from "../../database/schema/apps.ts";

/** As the partial indexes have it. */
const isCurrent = sql`${apps.current} = 1`;

/** A version of an app, and the deployment that brought it. */
export interface DeployedApp {
  app: AppRow;
  deployment: DeploymentRow;
}

/** The app that invocations of this name and version run now; undefined: there is none. */
export async function findCurrentApp(
  database: Database,
  organizationId: string,
  name: string,
  version: string,
): Promise<DeployedApp | undefined> {
  const [row] = await database
    .select({ app: apps, deployment: deployments })
    .from(apps)
    .innerJoin(deployments, eq(deployments.id, apps.deploymentId))
    .where(
      and(eq(apps.organizationId, organizationId), eq(apps.name, name), eq(apps.version, version), isCurrent),
    );
  return row;
}

/** The versions of an app that can be invoked, the newest first. */
export async function listCurrentVersions(
  database: Database,
  organizationId: string,
  name: string,
): Promise<string[]> {
  const rows = await database
    .select({ version: apps.version })
    .from(apps)
    .where(and(eq(apps.organizationId, organizationId), eq(apps.name, name), isCurrent))
    .orderBy(desc(apps.createdAt));
  return rows.map(({ version }) => version);
}
