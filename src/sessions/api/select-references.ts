import { and, eq } from "drizzle-orm";
import { ServiceError } from "../../common/errors.ts";
import { type Database, openDatabase } from "../../database/client.ts";
import { deployments, type Grants, invocations } from "../../database/schema/apps.ts";
import type { ProfileRow } from "../../database/schema/profiles.ts";
import { type ExtensionSelection, selectExtensions, touchExtensions } from "../../extensions/index.ts";
import type { CallerReach } from "../../organizations/index.ts";
import { selectProfile, touchProfile } from "../../profiles/index.ts";
import { requireProxy } from "../../proxies/index.ts";

/** What a caller selects for a browser of what is stored; exactly one of a selection's id and name is given. */
interface Selection {
  extensions?: readonly ExtensionSelection[];
  /** `""`, like null: none. */
  proxy_id?: string | null;
  profile?: { id?: string; name?: string };
}

/** The same, found. */
export interface SelectedReferences {
  extensionIds: string[];
  proxyId: string | null;
  profile: ProfileRow | null;
}

/**
 * Finds what is selected for a browser among what the organization has.
 *
 * @throws ServiceError 400 on the field of what is not there, or cannot be used; 403 where the caller is a run, and
 * neither its invocation nor its deployment grants that.
 */
export async function selectReferences(
  env: Env,
  caller: CallerReach,
  { extensions, proxy_id, profile }: Selection,
): Promise<SelectedReferences> {
  const { organizationId } = caller;
  const database = openDatabase(env.DB);
  const [extensionIds, found, proxy] = await Promise.all([
    selectExtensions(database, organizationId, extensions),
    profile === undefined ? null : selectProfile(database, organizationId, profile),
    proxy_id ? requireProxy(env, organizationId, proxy_id) : undefined,
  ]);
  if (found !== null || proxy !== undefined) {
    const grants = await grantsOf(database, caller);
    if (found !== null) requireGrant("profile", found, grants?.profiles);
    if (proxy !== undefined) requireGrant("proxy_id", proxy, grants?.proxies);
  }
  return { extensionIds, proxyId: proxy_id || null, profile: found };
}

/** What a run may use of what is stored; undefined: the caller is none, and may use everything. */
async function grantsOf(
  database: Database,
  { organizationId, invocationId }: CallerReach,
): Promise<Grants | undefined> {
  if (invocationId === null) return undefined;
  const [row] = await database
    .select({ ofInvocation: invocations.grants, ofDeployment: deployments.grants })
    .from(invocations)
    .leftJoin(deployments, eq(deployments.id, invocations.deploymentId))
    .where(and(eq(invocations.organizationId, organizationId), eq(invocations.id, invocationId)));
  const grants = [row?.ofInvocation, row?.ofDeployment].filter((granted) => granted != null);
  return {
    profiles: grants.flatMap(({ profiles }) => profiles),
    proxies: grants.flatMap(({ proxies }) => proxies),
  };
}

function requireGrant(
  field: "profile" | "proxy_id",
  { id, name }: { id: string; name: string | null },
  granted: readonly string[] | undefined,
): void {
  if (granted === undefined || granted.includes(id) || (name !== null && granted.includes(name))) return;
  const list = field === "profile" ? "profiles" : "proxies";
  const message = `${field}: not granted to this run; name it in \`${list}\` of the invocation or the deployment`;
  throw new ServiceError("forbidden", message);
}

/** Notes that a session with these is made now. */
export async function touchReferences(
  database: Database,
  { extensionIds, profileId }: { extensionIds: string[]; profileId: string | null },
  at: number,
): Promise<void> {
  await Promise.all([
    touchExtensions(database, extensionIds, at),
    profileId === null ? undefined : touchProfile(database, profileId, at),
  ]);
}
