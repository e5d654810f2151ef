import { errors } from "jose";
import { z } from "zod";
import { unauthorized } from "../../common/errors.ts";
import { type SignedTokens, signedTokens } from "../../common/signed-tokens.ts";
import type { AddressGrant } from "../access.ts";

/** What tells these tokens from others that are signed with the same secret. */
export const URL_TOKEN_ISSUER = "berth";

const claimsSchema = z.object({
  sub: z.string(),
  scope: z.enum(["cdp", "live:control", "live:watch"]),
  lease: z.int().optional(),
  generation: z.int().default(0),
});

/** What a token in a URL lets its bearer do with its one session. */
export type TokenScope = z.infer<typeof claimsSchema>["scope"];

/** What a token opens. */
export interface TokenGrant<S extends TokenScope> extends AddressGrant {
  scope: S;
}

/** Signs and checks the tokens in a session's URLs. */
export class URLTokens {
  readonly #tokens: SignedTokens;
  readonly #lifetimeMs: number;

  constructor(tokens: SignedTokens, lifetimeMs: number) {
    this.#tokens = tokens;
    this.#lifetimeMs = lifetimeMs;
  }

  /** A new token for one session, good from now for the tokens' lifetime, or a shorter one. */
  sign(
    sessionId: string,
    scope: TokenScope,
    {
      lease,
      generation = 0,
      now = Date.now(),
      lifetimeMs = this.#lifetimeMs,
    }: Partial<AddressGrant> & { now?: number; lifetimeMs?: number } = {},
  ): Promise<string> {
    return this.#tokens.sign(
      { sub: sessionId, scope, lease, generation },
      { now, expiresAt: now + lifetimeMs },
    );
  }

  /**
   * What a token opens; its scope is one of `scopes`. Whether its lease is still under way, and whether it was revoked,
   * the session knows.
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
    return { scope, lease: claims.lease, generation: claims.generation };
  }

  async #read(token: string): Promise<z.infer<typeof claimsSchema>> {
    try {
      return claimsSchema.parse(await this.#tokens.read(token));
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw unauthorized("This address has expired; get the session anew");
      throw unauthorized("The token of this address is not valid");
    }
  }
}

/** The tokens of this deployment. */
export function urlTokens(env: Env, lifetimeMs: number): URLTokens {
  return new URLTokens(signedTokens(env, URL_TOKEN_ISSUER), lifetimeMs);
}
