import { api, read, type Schemas } from "../../api/client.ts";

export type Organization = Schemas["OrganizationWithUse"];

/** Adds the limits of the service to organizations that have none of their own. */
export async function readLimits(signal: AbortSignal) {
  const { settings } = await read(api.GET("/admin/settings", { signal }));
  const defaultOf = (wanted: string) => Number(settings.find(({ name }) => name === wanted)?.value) || 0;
  const [sessions, pooled] = [defaultOf("MAX_CONCURRENT_SESSIONS"), defaultOf("MAX_POOLED_SESSIONS")];
  return (organization: Organization) => ({
    ...organization,
    limits: {
      sessions: organization.max_concurrent_sessions ?? sessions,
      pooled: organization.max_pooled_sessions ?? pooled,
    },
  });
}

export type LimitedOrganization = ReturnType<Awaited<ReturnType<typeof readLimits>>>;
