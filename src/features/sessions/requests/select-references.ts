import { and, eq } from "drizzle-orm";
import { ServiceError } from "../../../lib/common/errors.ts";
import { type Database, openDatabase } from "../../../lib/database/client.ts";
import { deployments, type Grants, invocations } from "../../../lib/database/schema/apps.ts";
import type { ProfileRow } from "../../../lib/database/schema/profiles.ts";
import { type Feature, requireFeatures } from "../../../platform/capabilities/index.ts";
import { type ExtensionSelection, selectExtensions, touchExtensions } from "../../extensions/index.ts";
import type { CallerReach } from "../../organizations/index.ts";
import { selectProfile, touchProfile } from "../../profiles/index.ts";
import { requireProxy } from "../../proxies/index.ts";

/** Extensions, a proxy and a profile, by id or name, and other features the platform may not support. */
interface Selection {
  extensions?: readonly ExtensionSelection[];
  /** `""` and null: no proxy. */
  proxy_id?: string | null;
  profile?: { id?: string; name?: string; save_changes?: boolean };
  stealth?: boolean;
  record?: boolean;
}

export interface SelectedReferences {
  extensionIds: string[];
  proxyId: string | null;
  profile: ProfileRow | null;
}

/**
 * Resolves a selection within the caller's project.
 *
 * @throws ServiceError 400 on the field of an unknown or unusable resource; 403 where a run lacks the grant;
 * 501 on the field of a feature that the platform does not support.
 */
export async function selectReferences(
  env: Env,
  caller: CallerReach,
  selection: Selection,
): Promise<SelectedReferences> {
  await requireFeatures(env, askedFeatures(selection));
  const { extensions, proxy_id, profile } = selection;
  const database = openDatabase(env.DB);
  const [extensionIds, found, proxy] = await Promise.all([
    selectExtensions(database, caller, extensions),
    profile === undefined ? null : selectProfile(database, caller, profile),
    proxy_id ? requireProxy(env, caller, proxy_id) : undefined,
  ]);
  if (found !== null || proxy !== undefined) {
    const grants = await findGrants(database, caller);
    if (found !== null) requireGrant("profile", found, grants?.profiles);
    if (proxy !== undefined) requireGrant("proxy_id", proxy, grants?.proxies);
  }
  return { extensionIds, proxyId: proxy_id || null, profile: found };
}

function askedFeatures({ extensions, proxy_id, profile, stealth, record }: Selection): Feature[] {
  const asked: [Feature, unknown][] = [
    ["proxy_id", proxy_id],
    ["stealth", stealth],
    ["extensions", extensions?.length],
    ["record", record],
    ["profile", profile?.save_changes],
  ];
  return asked.flatMap(([feature, value]) => (value ? feature : []));
}

/** Undefined for API keys, which need no grants. */
async function findGrants(
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
