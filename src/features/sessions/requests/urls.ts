import type { HonoRequest } from "hono";
import { readSettings } from "../../../lib/common/settings.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import type { BrowserSessionRow } from "../../../lib/database/schema/browser-sessions.ts";
import type { ReplayRow } from "../../../lib/database/schema/replays.ts";
import { type Caller, findAPIKeyNames, mayControl } from "../../organizations/index.ts";
import { findProfilesOfSessions } from "../../profiles/index.ts";
import { presentSession, type SessionBody } from "../session-schema.ts";
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

export const RECORDING_PATH = "/replay";

/** @param generation how often the session's URLs were revoked. */
export async function recordingURL(
  env: Env,
  request: HonoRequest,
  { id, sessionId }: Pick<ReplayRow, "id" | "sessionId">,
  generation: number,
): Promise<string> {
  const token = await urlTokens(env, readSettings(env).tokenLifetimeMs).sign(id, "replay", { generation });
  return `${publicOrigin(env, request)}${RECORDING_PATH}/${sessionId}/${id}?jwt=${token}`;
}

export function toWebSocketOrigin(origin: string): string {
  return origin.replace(/^http/, "ws");
}

/**
 * Response bodies of sessions, with newly signed URLs. A key that may only read gets no URL that controls a
 * browser. The name of the caller's own key is not looked up.
 *
 * @example
 * return c.json(await presentSessions(c.env, c.req, rows, c.var.caller), 200);
 */
export async function presentSessions(
  env: Env,
  request: HonoRequest,
  rows: readonly BrowserSessionRow[],
  caller: Caller,
): Promise<SessionBody[]> {
  const database = openDatabase(env.DB);
  const { organizationId } = caller;
  const controls = mayControl(caller);
  const own = caller.scope === "organization" ? caller : undefined;
  const keyIds = rows.flatMap(({ apiKeyId, endedByApiKeyId }) =>
    [apiKeyId ?? [], endedByApiKeyId ?? []].flat(),
  );
  const [profiles, names] = await Promise.all([
    findProfilesOfSessions(
      database,
      caller,
      rows.flatMap(({ profileId }) => profileId ?? []),
    ),
    findAPIKeyNames(
      database,
      organizationId,
      keyIds.filter((id) => id !== own?.keyId),
    ),
  ]);
  const apiKeys = own === undefined ? names : names.set(own.keyId, own.keyName);
  const tokens = urlTokens(env, readSettings(env).tokenLifetimeMs);
  const origin = publicOrigin(env, request);
  const present = async (row: BrowserSessionRow) => {
    const grant = { lease: row.lease ?? undefined, generation: row.urlGeneration };
    const [bidi, cdp, live] = await Promise.all([
      tokens.sign(row.id, "bidi", grant),
      tokens.sign(row.id, "cdp", grant),
      tokens.sign(row.id, controls ? "live:control" : "live:watch", grant),
    ]);
    return presentSession(
      row,
      { profile: profiles.find(({ id }) => id === row.profileId), apiKeys },
      {
        origin,
        cdp: controls ? `${toWebSocketOrigin(origin)}${cdpPath(row.id)}?jwt=${cdp}` : "",
        bidi: controls ? `${toWebSocketOrigin(origin)}/webdriver/${row.id}?jwt=${bidi}` : "",
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
  caller: Caller,
): Promise<SessionBody> {
  const [session] = await presentSessions(env, request, [row], caller);
  if (session === undefined) throw new Error("No session was presented");
  return session;
}
