import { errors } from "jose";
import { z } from "zod";
import { unauthorized } from "../../../lib/common/errors.ts";
import { type SignedTokens, signedTokens } from "../../../lib/common/signed-tokens.ts";
import type { AddressGrant } from "../require-access.ts";

/** Distinguishes these tokens from others signed with the same secret. */
export const URL_TOKEN_ISSUER = "berth";

const claimsSchema = z.object({
  sub: z.string(),
  scope: z.enum(["bidi", "cdp", "live:control", "live:watch", "replay", "webdriver"]),
  lease: z.int().optional(),
  generation: z.int().default(0),
  handoff: z.string().optional(),
});

export type TokenScope = z.infer<typeof claimsSchema>["scope"];

export interface TokenGrant<S extends TokenScope> extends AddressGrant {
  scope: S;
}

export class URLTokens {
  readonly #tokens: SignedTokens;
  readonly #lifetimeMs: number;

  constructor(tokens: SignedTokens, lifetimeMs: number) {
    this.#tokens = tokens;
    this.#lifetimeMs = lifetimeMs;
  }

  /** @param subject the id of a session, or of a recording for the scope `replay`. */
  sign(
    subject: string,
    scope: TokenScope,
    {
      lease,
      generation = 0,
      handoff,
      now = Date.now(),
      lifetimeMs = this.#lifetimeMs,
    }: Partial<AddressGrant> & { now?: number; lifetimeMs?: number } = {},
  ): Promise<string> {
    return this.#tokens.sign(
      { sub: subject, scope, lease, generation, handoff },
      { now, expiresAt: now + lifetimeMs },
    );
  }

  /** The session checks lease and revocation. @throws ServiceError 401 without a valid subject and scope. */
  async verify<S extends TokenScope>(
    token: string,
    subject: string,
    scopes: readonly S[],
  ): Promise<TokenGrant<S>> {
    const claims = await this.#read(token);
    if (claims.sub !== subject) throw unauthorized("This token belongs to another session");
    const scope = scopes.find((allowed) => allowed === claims.scope);
    if (scope === undefined) throw unauthorized("This token is not valid for this address");
    return { scope, lease: claims.lease, generation: claims.generation, handoff: claims.handoff };
  }

  async #read(token: string): Promise<z.infer<typeof claimsSchema>> {
    try {
      return claimsSchema.parse(await this.#tokens.read(token));
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw unauthorized("This address has expired; get the session again");
      throw unauthorized("The token of this address is invalid");
    }
  }
}

export function urlTokens(env: Env, lifetimeMs: number): URLTokens {
  return new URLTokens(signedTokens(env, URL_TOKEN_ISSUER), lifetimeMs);
}
