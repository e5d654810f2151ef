import { z } from "zod";
import { SignedTokens, signedTokens, type TokenSecrets } from "../../lib/common/signed-tokens.ts";

/** Distinguishes these tokens from others signed with the same secret. */
const ISSUER = "berth-sign-in-link";

const LIFETIME_MS = 900_000;

const claimsSchema = z.object({ jti: z.string(), keyId: z.string(), exp: z.number() });

/** What a sign-in link stands for. */
export interface SignInLink {
  /** Which can sign in once. */
  id: string;
  /** Of the API key whose rights the sign-in has. */
  keyId: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/**
 * Returns the token of a link that signs in to the console once, within 15 minutes. It has no dots, so that a
 * terminal selects it as one word.
 */
export async function newSignInToken(
  tokenSecret: string,
  { id, keyId }: { id: string; keyId: string },
): Promise<string> {
  const now = Date.now();
  const tokens = new SignedTokens(ISSUER, [tokenSecret]);
  const signed = await tokens.sign({ jti: id, keyId }, { now, expiresAt: now + LIFETIME_MS });
  return btoa(signed).replaceAll("=", "");
}

/** @returns undefined for an expired or invalid token. */
export async function readSignInToken(env: TokenSecrets, token: string): Promise<SignInLink | undefined> {
  const claims = claimsSchema.safeParse(await readSigned(env, token).catch(() => undefined));
  if (!claims.success) return undefined;
  const { jti: id, keyId, exp } = claims.data;
  return { id, keyId, expiresAt: exp * 1000 };
}

/** @throws for a token that is expired or invalid. */
async function readSigned(env: TokenSecrets, token: string) {
  return await signedTokens(env, ISSUER).read(atob(token));
}
