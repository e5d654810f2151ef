import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import { sha256 } from "../hash.ts";
import { unauthorized } from "../http/errors.ts";

const ALGORITHM = "HS256";
const ISSUER = "berth";

const claimsSchema = z.object({
  sub: z.string(),
  scope: z.enum(["cdp", "live:control", "live:watch"]),
  lease: z.int().optional(),
  exp: z.number(),
});

/** What a token in a URL lets its bearer do with its one session. */
export type TokenScope = z.infer<typeof claimsSchema>["scope"];

/** What a token opens. */
export interface TokenGrant<S extends TokenScope> {
  scope: S;
  /** The lease of a pooled session that it is good for; undefined: the session belongs to no pool. */
  lease: number | undefined;
}

interface SigningKey {
  /** Names the secret without telling it: the beginning of its SHA-256. */
  id: string;
  key: CryptoKey;
}

/** Signs and checks the tokens in a session's URLs. */
export class URLTokens {
  readonly #current: Promise<SigningKey>;
  readonly #accepted: Promise<SigningKey>[];
  readonly #lifetimeMs: number;

  /** @param secrets the present secret first; tokens signed with any of them are accepted. */
  constructor(secrets: [string, ...string[]], lifetimeMs: number) {
    const [current, ...previous] = secrets;
    this.#current = importSecret(current);
    this.#accepted = [this.#current, ...previous.map(importSecret)];
    this.#lifetimeMs = lifetimeMs;
  }

  /** A new token for one session, good from now for the tokens' lifetime, or a shorter one. */
  async sign(
    sessionId: string,
    scope: TokenScope,
    {
      lease,
      now = Date.now(),
      lifetimeMs = this.#lifetimeMs,
    }: { lease?: number; now?: number; lifetimeMs?: number } = {},
  ): Promise<string> {
    const { id, key } = await this.#current;
    return new SignJWT({ scope, lease })
      .setProtectedHeader({ alg: ALGORITHM, kid: id })
      .setIssuer(ISSUER)
      .setSubject(sessionId)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.floor((now + lifetimeMs) / 1000))
      .sign(key);
  }

  /**
   * What a token opens; its scope is one of `scopes`. Whether its lease is still under way the session knows.
   *
   * @throws ServiceError 401 unless the token was signed here, is in time, and opens this session for one of them.
   */
  async verify<S extends TokenScope>(
    token: string,
    sessionId: string,
    scopes: readonly S[],
  ): Promise<TokenGrant<S>> {
    const claims = await this.#read(token);
    if (claims.sub !== sessionId) throw unauthorized("This token belongs to another session");
    const scope = scopes.find((allowed) => allowed === claims.scope);
    if (scope === undefined) throw unauthorized("This token does not open this address");
    return { scope, lease: claims.lease };
  }

  async #read(token: string): Promise<z.infer<typeof claimsSchema>> {
    const accepted = await Promise.all(this.#accepted);
    try {
      const { payload } = await jwtVerify(
        token,
        ({ kid }) => {
          const named = accepted.find(({ id }) => id === kid);
          if (named === undefined) throw new errors.JWKSNoMatchingKey();
          return named.key;
        },
        { algorithms: [ALGORITHM], issuer: ISSUER },
      );
      return claimsSchema.parse(payload);
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw unauthorized("This address has expired; get the session anew");
      throw unauthorized("The token of this address is not valid");
    }
  }
}

let cached: { key: string; tokens: URLTokens } | undefined;

/** The tokens of this deployment; kept between requests, because importing a key costs more than signing. */
export function urlTokens(env: Env, lifetimeMs: number): URLTokens {
  const key = [env.TOKEN_SECRET, env.TOKEN_SECRET_PREVIOUS ?? "", lifetimeMs].join("\n");
  if (cached?.key === key) return cached.tokens;
  const secrets: [string, ...string[]] = [env.TOKEN_SECRET];
  if (env.TOKEN_SECRET_PREVIOUS) secrets.push(env.TOKEN_SECRET_PREVIOUS);
  const tokens = new URLTokens(secrets, lifetimeMs);
  cached = { key, tokens };
  return tokens;
}

async function importSecret(secret: string): Promise<SigningKey> {
  const bytes = new TextEncoder().encode(secret);
  const [key, hash] = await Promise.all([
    crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]),
    sha256(secret),
  ]);
  return { id: hash.slice(0, 16), key };
}
