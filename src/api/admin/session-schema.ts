import { z } from "@hono/zod-openapi";
import { describeEnd, type SessionForOperator, sessionSchema } from "../../features/sessions/index.ts";
import { countOf, flagOf, textOf, timeOf } from "../../lib/http/fields.ts";
import { pageQuerySchema } from "../../lib/http/pagination.ts";
import type { BrowserRecord } from "../../platform/broker/index.ts";

export const adminSessionListQuerySchema = pageQuerySchema.extend({
  status: z
    .enum(["active", "deleted", "all"])
    .default("active")
    .describe("`active`: sessions that have not ended; `deleted`: those that have; or `all`."),
  organization_id: textOf("Sessions of this organization.").optional(),
  query: textOf("Part of a name in either case, or the id of a session, proxy or profile.").optional(),
});

export const adminSessionParamSchema = z.object({
  id: textOf("Id of the session."),
});

const { session_id, name, tags, headless, pool, proxy_id, deleted_at, end_details } = sessionSchema.shape;

export const adminSessionSchema = z
  .object({
    session_id,
    organization: z
      .object({
        id: textOf("Id of the organization.", "o4h8w2k6s0v3z9c1m5x7t2qd"),
        name: textOf("Its name; null when it is deleted.", "Example Inc.").nullable(),
      })
      .describe("The organization that it belongs to."),
    name,
    state: z.enum(["starting", "idle", "active", "ended"]).openapi({
      description: "`idle`: it waits in its pool. Its organization sees `active` and `ended` sessions only.",
      example: "active",
    }),
    created_at: timeOf("When it was created, or leased from its pool."),
    deleted_at,
    end_details,
    tags,
    headless,
    pool,
    proxy_id,
    profile_id: textOf("Id of its profile; absent when it has none.", "r3t7y1u5i9o2p6a0s4d8f1gh").optional(),
    clients: countOf("Open connections of clients.", 1),
    viewers: countOf("Open live views.", 0),
    idle_since: timeOf(
      "Since when nothing uses it; absent while it is in use.",
      "2026-01-02T15:10:00.000Z",
    ).optional(),
  })
  .openapi("OperatorSession");

export const adminBrowserSchema = z
  .object({
    browser_id: textOf(
      "The platform's id of the browser; in another account, after the account's name and `~`.",
      "478f4d7d-e943-40f6-a414-837d3736a1dc",
    ),
    is_ours: flagOf("Whether this service launched it.", true),
    session_id: textOf(
      "The session that it belongs to; null for standby browsers and those of other services.",
      "htzv5orfit78e1m2biiifpbv",
    ).nullable(),
    organization_id: textOf(
      "The organization of that session; null when it is not known.",
      "o4h8w2k6s0v3z9c1m5x7t2qd",
    ).nullable(),
    started_at: timeOf("When it was launched; null when that is unknown.").nullable(),
  })
  .openapi("AccountBrowser");

/** Without URLs and tokens: the operator gets no access to organizations' browsers. */
export function presentAdminSession({
  session,
  organizationName,
  endedByKeyName,
}: SessionForOperator): z.infer<typeof adminSessionSchema> {
  return {
    session_id: session.id,
    organization: { id: session.organizationId, name: organizationName },
    name: session.name ?? undefined,
    state: session.state,
    created_at: toDateTime(session.createdAt),
    deleted_at: session.deletedAt === null ? undefined : toDateTime(session.deletedAt),
    end_details: describeEnd(session, endedByKeyName ?? undefined),
    tags: session.tags,
    headless: session.headless,
    pool: session.poolId === null ? undefined : { id: session.poolId, name: session.poolName ?? undefined },
    proxy_id: session.proxyId ?? undefined,
    profile_id: session.profileId ?? undefined,
    clients: session.clients,
    viewers: session.viewers,
    idle_since: session.idleSince === null ? undefined : toDateTime(session.idleSince),
  };
}

/** @param startedAt in milliseconds since the epoch. */
export function presentBrowser(
  browserId: string,
  startedAt: number | undefined,
  owner: BrowserRecord | undefined,
): z.infer<typeof adminBrowserSchema> {
  const launchedAt = startedAt ?? owner?.launchedAt;
  const isOfSession = owner !== undefined && owner.kind !== "standby";
  return {
    browser_id: browserId,
    is_ours: owner !== undefined,
    session_id: isOfSession ? owner.sessionId : null,
    organization_id: isOfSession ? owner.organizationId || null : null,
    started_at: launchedAt === undefined ? null : toDateTime(launchedAt),
  };
}

function toDateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
