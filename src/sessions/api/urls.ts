import type { HonoRequest } from "hono";
import { readSettings } from "../../common/settings.ts";
import { openDatabase } from "../../database/client.ts";
import type { BrowserSessionRow } from "../../database/schema/browser-sessions.ts";
import { findProfilesOfSessions } from "../../profiles/index.ts";
import { presentSession, type SessionBody } from "./schema.ts";
import { urlTokens } from "./url-token.ts";

export function publicOrigin(env: Env, request: HonoRequest): string {
  return readSettings(env).publicURL || new URL(request.url).origin;
}

export function cdpPath(sessionId: string): string {
  return `/cdp/${sessionId}`;
}

export const LIVE_VIEW_PATH = "/live";

export function liveViewURL(env: Env, request: HonoRequest, sessionId: string, token: string): string {
  return `${publicOrigin(env, request)}${LIVE_VIEW_PATH}/${sessionId}?jwt=${token}`;
}

export function toWebSocketOrigin(origin: string): string {
  return origin.replace(/^http/, "ws");
}

/**
 * Response bodies of sessions, with newly signed URLs.
 *
 * @example
 * return c.json(await presentSessions(c.env, c.req, rows), 200);
 */
export async function presentSessions(
  env: Env,
  request: HonoRequest,
  rows: readonly BrowserSessionRow[],
): Promise<SessionBody[]> {
  const profiles = await findProfilesOfSessions(
    openDatabase(env.DB),
    rows[0]?.organizationId ?? "",
    rows.flatMap(({ profileId }) => profileId ?? []),
  );
  const tokens = urlTokens(env, readSettings(env).tokenLifetimeMs);
  const origin = toWebSocketOrigin(publicOrigin(env, request));
  const present = async (row: BrowserSessionRow) => {
    const grant = { lease: row.lease ?? undefined, generation: row.urlGeneration };
    const [cdp, live] = await Promise.all([
      tokens.sign(row.id, "cdp", grant),
      tokens.sign(row.id, "live:control", grant),
    ]);
    return presentSession(
      row,
      profiles.find(({ id }) => id === row.profileId),
      {
        cdp: `${origin}${cdpPath(row.id)}?jwt=${cdp}`,
        liveView: liveViewURL(env, request, row.id, live),
      },
    );
  };
  return Promise.all(rows.map(present));
}

export async function presentWithURLs(
  env: Env,
  request: HonoRequest,
  row: BrowserSessionRow,
): Promise<SessionBody> {
  const [session] = await presentSessions(env, request, [row]);
  if (session === undefined) throw new Error("No session was presented");
  return session;
}
