import type { Context, HonoRequest, MiddlewareHandler } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import { ServiceError, serviceUnavailable } from "../../lib/common/errors.ts";
import { sha256 } from "../../lib/common/hash.ts";
import { isIdentifier } from "../../lib/common/identifiers.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { signedTokens } from "../../lib/common/signed-tokens.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { hasConsoleSession, insertConsoleSession } from "./console-session-store.ts";

/**
 * The console sends it with every request. Other sites cannot: browsers ask the service first. Its value is
 * the id of the key whose rights the console shows, or `operator`; any other accepts whoever is signed in.
 */
export const CONSOLE_HEADER = "x-berth-console";

/**
 * A secret that the console keeps for its origin. Without https, browsers send the cookie to the services on
 * all ports of a host, so there it counts only together with the secret that was sent at the sign-in.
 */
export const CONSOLE_SECRET_HEADER = "x-berth-console-secret";

const COOKIE = "berth_console";

const MAX_USER_AGENT_LENGTH = 200;
const MIN_SECRET_LENGTH = 32;

/** Distinguishes these tokens from others signed with the same secret. */
const ISSUER = "berth-console";

const identitySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("organization"), keyId: z.string() }),
  z.object({ kind: z.literal("operator"), fingerprint: z.string() }),
]);

const claimsSchema = z.intersection(
  identitySchema,
  z.object({
    jti: z.string(),
    exp: z.number(),
    access: z.boolean().default(false),
    secretHash: z.string().optional(),
  }),
);

/** Whose rights a signed-in person has. In an organization, these are the API key's. */
export type ConsoleIdentity = z.infer<typeof identitySchema>;

export interface ConsoleSession {
  /** Of its row in D1. */
  id: string;
  identity: ConsoleIdentity;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** Whether Cloudflare Access signed in. */
  byAccess: boolean;
}

export interface ConsoleEnv {
  Bindings: Env;
  Variables: { consoleSession?: ConsoleSession };
}

/** Accepts the console's cookie where a request has no key. */
export const acceptConsoleSession: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  if (c.req.header("authorization") === undefined && isFromConsole(c.req)) {
    const session = await readConsoleSession(c);
    if (session !== undefined && isShown(session, c.req)) c.set("consoleSession", session);
  }
  await next();
};

/** Whether the console's own scripts sent a request, and no other site. */
export function isFromConsole(request: HonoRequest): boolean {
  const site = request.header("sec-fetch-site");
  return request.header(CONSOLE_HEADER) !== undefined && (site === undefined || site === "same-origin");
}

/** @throws ServiceError 503 when D1 fails. */
export async function readConsoleSession(c: Context<ConsoleEnv>): Promise<ConsoleSession | undefined> {
  const token = getCookie(c, COOKIE, cookiePrefix(c.req));
  if (token === undefined) return undefined;
  const claims = claimsSchema.safeParse(
    await signedTokens(c.env, ISSUER)
      .read(token)
      .catch(() => undefined),
  );
  if (!claims.success) return undefined;
  const { jti: id, exp, access, secretHash } = claims.data;
  if (!isSecure(c.req) && (secretHash === undefined || secretHash !== (await hashSecret(c.req))))
    return undefined;
  const identity = identitySchema.parse(claims.data);
  if (access && !isIdentityOfAccess(c.env, identity)) return undefined;
  // A sign-out and a revocation take effect at once.
  const isSignedIn = await hasConsoleSession(openDatabase(c.env.DB), id).catch((error) => {
    throw serviceUnavailable("Sign-ins to the console cannot be checked now", 1, error);
  });
  if (!isSignedIn) return undefined;
  return { id, identity, expiresAt: exp * 1000, byAccess: access };
}

/** Whether Access still signs in with these rights. */
function isIdentityOfAccess(env: Env, identity: ConsoleIdentity): boolean {
  const { access } = readSettings(env);
  return access.teamDomain !== "" && access.signsInAs === idOf(identity);
}

/** Another tab may have signed in with another key. */
function isShown({ identity }: ConsoleSession, request: HonoRequest): boolean {
  const shown = request.header(CONSOLE_HEADER) ?? "";
  return !(isIdentifier(shown) || shown === "operator") || shown === idOf(identity);
}

/** Id of the API key, or `operator`. */
export function idOf(identity: ConsoleIdentity): string {
  return identity.kind === "operator" ? identity.kind : identity.keyId;
}

/** @throws ServiceError 400 without https and without the secret. */
export async function writeConsoleSession(c: Context<ConsoleEnv>, session: ConsoleSession): Promise<void> {
  const { id, identity, expiresAt, byAccess } = session;
  const now = Date.now();
  const secretHash = isSecure(c.req) ? undefined : await hashSecret(c.req);
  if (!isSecure(c.req) && secretHash === undefined)
    throw new ServiceError("bad_request", `Without https, send a random text as ${CONSOLE_SECRET_HEADER}`);
  const userAgent = (c.req.header("user-agent") ?? "").slice(0, MAX_USER_AGENT_LENGTH);
  const row = { id, keyId: idOf(identity), userAgent, createdAt: now, expiresAt };
  await insertConsoleSession(openDatabase(c.env.DB), row);
  const claims = { ...identity, jti: id, access: byAccess, ...(secretHash && { secretHash }) };
  const token = await signedTokens(c.env, ISSUER).sign(claims, { now, expiresAt });
  setCookie(c, COOKIE, token, {
    ...cookieOptions(c.req),
    maxAge: Math.max(0, Math.floor((expiresAt - now) / 1000)),
  });
}

export function deleteConsoleSession(c: Context<ConsoleEnv>): void {
  deleteCookie(c, COOKIE, cookieOptions(c.req));
}

/** Changes with ADMIN_TOKEN, so that a new token signs the operator out. */
export async function operatorFingerprint(env: Env): Promise<string> {
  return (await sha256(`console\n${env.ADMIN_TOKEN}`)).slice(0, 32);
}

async function hashSecret(request: HonoRequest): Promise<string | undefined> {
  const secret = request.header(CONSOLE_SECRET_HEADER);
  return secret === undefined || secret.length < MIN_SECRET_LENGTH ? undefined : await sha256(secret);
}

function cookieOptions(request: HonoRequest) {
  return {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: isSecure(request),
    prefix: cookiePrefix(request),
  } as const;
}

/** With the prefix, no other host of the domain can set the cookie. It requires https. */
function cookiePrefix(request: HonoRequest): "host" | undefined {
  return isSecure(request) ? "host" : undefined;
}

function isSecure(request: HonoRequest): boolean {
  return new URL(request.url).protocol === "https:";
}
