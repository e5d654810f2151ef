import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { logEvent } from "../../lib/common/log.ts";

export interface AccessSettings {
  /** Origin of the team, such as `https://team.cloudflareaccess.com`; empty: Access is not used. */
  teamDomain: string;
  audience: string;
}

/** Cached per isolate with the keys that it has fetched. */
const keysByTeam = new Map<string, JWTVerifyGetKey>();

/**
 * Verifies the token that Cloudflare Access adds to requests.
 *
 * @returns when it expires, in milliseconds since the epoch; undefined if it is invalid or Access is not
 * used.
 */
export async function verifyAccessToken(
  token: string,
  { teamDomain, audience }: AccessSettings,
): Promise<number | undefined> {
  if (teamDomain === "" || audience === "") return undefined;
  try {
    const { payload } = await jwtVerify(token, accessKeys(teamDomain), {
      issuer: teamDomain,
      audience,
      requiredClaims: ["exp"],
    });
    return (payload.exp ?? 0) * 1000;
  } catch (error) {
    // Its message may contain parts of the token.
    const code = error instanceof errors.JOSEError ? error.code : String(error);
    logEvent("access_token_refused", { code });
    return undefined;
  }
}

function accessKeys(teamDomain: string): JWTVerifyGetKey {
  const known = keysByTeam.get(teamDomain);
  if (known !== undefined) return known;
  const keys = createRemoteJWKSet(new URL("/cdn-cgi/access/certs", teamDomain));
  keysByTeam.set(teamDomain, keys);
  return keys;
}
