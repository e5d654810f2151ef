import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { sha256 } from "./hash.ts";

const ALGORITHM = "HS256";

interface SigningKey {
  id: string;
  key: CryptoKey;
}

export class SignedTokens {
  readonly #issuer: string;
  readonly #current: Promise<SigningKey>;
  readonly #accepted: Promise<SigningKey>[];

  /** @param secrets the current secret, then previous ones that are still accepted. */
  constructor(issuer: string, secrets: readonly [string, ...string[]]) {
    const [current, ...previous] = secrets;
    this.#issuer = issuer;
    this.#current = importSecret(current);
    this.#accepted = [this.#current, ...previous.map(importSecret)];
  }

  async sign(claims: JWTPayload, { now, expiresAt }: { now: number; expiresAt: number }): Promise<string> {
    const { id, key } = await this.#current;
    return new SignJWT(claims)
      .setProtectedHeader({ alg: ALGORITHM, kid: id })
      .setIssuer(this.#issuer)
      .setIssuedAt(Math.floor(now / 1000))
      .setExpirationTime(Math.floor(expiresAt / 1000))
      .sign(key);
  }

  /** @throws JWTExpired (jose) for an expired token, another error for an invalid one. */
  async read(token: string): Promise<JWTPayload> {
    const accepted = await Promise.all(this.#accepted);
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const match = accepted.find(({ id }) => id === kid);
        if (match === undefined) throw new errors.JWKSNoMatchingKey();
        return match.key;
      },
      { algorithms: [ALGORITHM], issuer: this.#issuer, requiredClaims: ["exp"] },
    );
    return payload;
  }
}

/** The secrets of the service that sign tokens. */
export interface TokenSecrets {
  TOKEN_SECRET: string;
  TOKEN_SECRET_PREVIOUS?: string;
}

const cached = new Map<string, { secrets: string; tokens: SignedTokens }>();

/** Cached per isolate: importing a key costs more than signing. */
export function signedTokens(env: TokenSecrets, issuer: string): SignedTokens {
  const secrets: [string, ...string[]] = [env.TOKEN_SECRET];
  if (env.TOKEN_SECRET_PREVIOUS) secrets.push(env.TOKEN_SECRET_PREVIOUS);
  const key = secrets.join("\n");
  const known = cached.get(issuer);
  if (known?.secrets === key) return known.tokens;
  const tokens = new SignedTokens(issuer, secrets);
  cached.set(issuer, { secrets: key, tokens });
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
