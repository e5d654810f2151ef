import { z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import {
  CONSOLE_HEADER,
  type ConsoleEnv,
  type ConsoleIdentity,
  type ConsoleSession,
  consoleSessionSchema,
  consoleSignInSchema,
  deleteConsoleSession,
  deleteConsoleSessions,
  findAPIKey,
  findCallerByKey,
  findKeyHolder,
  findOrganization,
  idOf,
  isFromConsole,
  isOperator,
  isSignedInOperator,
  listConsoleSessions,
  operatorFingerprint,
  readConsoleSession,
  readSignInToken,
  redeemSignInLink,
  signInBodySchema,
  signInLinkBodySchema,
  verifyAccessToken,
  writeConsoleSession,
} from "../../features/organizations/index.ts";
import { ServiceError, unauthorized } from "../../lib/common/errors.ts";
import { sha256 } from "../../lib/common/hash.ts";
import { newIdentifier } from "../../lib/common/identifiers.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { openDatabase } from "../../lib/database/client.ts";
import { textOf } from "../../lib/http/fields.ts";
import { jsonBody } from "../../lib/http/json-body.ts";
import { jsonRequest, jsonResponse, routesOf } from "../../lib/http/openapi.ts";
import { newRouter } from "../../lib/http/router.ts";

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

type ConsoleSessionBody = z.infer<typeof consoleSessionSchema>;

/** Signing in to the console. These routes need no key. */
export const consoleSessionRoutes = newRouter<ConsoleEnv>();

/** @throws ServiceError 403 for requests of other sites. */
const requireConsole: MiddlewareHandler = async (c, next) => {
  if (!isFromConsole(c.req)) {
    throw new ServiceError("forbidden", `Send the header ${CONSOLE_HEADER}, from this service's own pages`);
  }
  await next();
};

const route = routesOf("Console", []);

const headers = z.object({
  "X-Berth-Console": textOf(
    "Required. It shows that no other site sends the request. If it is the id of an API key, or `operator`, requests count " +
      "only while that is signed in.",
    "1",
  ).optional(),
  "X-Berth-Console-Secret": textOf(
    "Required without https, at the sign-in and with the cookie: a random text of at least 32 characters. Browsers send the " +
      "cookie to all ports of a host, but not this.",
    "5f1c0a9e4b7d4c0f8a63d2b1e9f07c54",
  ).optional(),
});

consoleSessionRoutes.openapi(
  route("post", "/console/session", {
    operationId: "signInToConsole",
    summary: "Sign in to the console",
    description:
      "Exchanges an API key, or ADMIN_TOKEN, for a signed cookie that scripts cannot read. With the cookie and the header " +
      "`X-Berth-Console`, requests of the console need no key. The sign-in ends with its key.",
    middleware: [requireConsole, jsonBody],
    request: { headers, body: jsonRequest(signInBodySchema) },
    responses: { 200: jsonResponse(consoleSessionSchema, "Who is signed in.") },
  }),
  async (c) => {
    const identity = await identify(c.env, c.req.valid("json").key.trim());
    return c.json(await signInAs(c, identity), 200);
  },
);

consoleSessionRoutes.openapi(
  route("post", "/console/session/link", {
    operationId: "signInToConsoleByLink",
    summary: "Sign in to the console by a link",
    description:
      "Exchanges the token of a link that `npm start` prints. It signs in once, within 15 minutes, and only at an address of " +
      "the same machine.",
    middleware: [requireConsole, jsonBody],
    request: { headers, body: jsonRequest(signInLinkBodySchema) },
    responses: { 200: jsonResponse(consoleSessionSchema, "Who is signed in.") },
  }),
  async (c) => {
    const link = await readSignInToken(c.env, c.req.valid("json").token);
    if (link === undefined || !LOOPBACK_HOSTS.includes(new URL(c.req.url).hostname)) throw unknownLink();
    if (!(await redeemSignInLink(openDatabase(c.env.DB), link))) throw unknownLink();
    return c.json(await signInAs(c, { kind: "organization", keyId: link.keyId }), 200);
  },
);

consoleSessionRoutes.openapi(
  route("get", "/console/session", {
    operationId: "getWhoIsSignedInToConsole",
    summary: "Get the current sign-in to the console",
    description:
      "Where Cloudflare Access is configured and has authenticated the request, this also signs in.",
    middleware: requireConsole,
    request: { headers },
    responses: { 200: jsonResponse(consoleSessionSchema, "Who is signed in.") },
  }),
  async (c) => {
    const session = await readConsoleSession(c);
    const body = session && (await presentSession(c, session));
    if (body !== undefined) return c.json(body, 200);
    return c.json((await signInByAccess(c)) ?? { kind: "anonymous" as const }, 200);
  },
);

consoleSessionRoutes.openapi(
  route("delete", "/console/session", {
    operationId: "signOutOfConsole",
    summary: "Sign out of the console",
    description: "Ends the sign-in and deletes its cookie.",
    middleware: requireConsole,
    request: { headers },
    responses: { 204: { description: "Signed out." } },
  }),
  async (c) => {
    const session = await readConsoleSession(c);
    if (session !== undefined)
      await deleteConsoleSessions(openDatabase(c.env.DB), idOf(session.identity), session.id);
    deleteConsoleSession(c);
    return c.body(null, 204);
  },
);

consoleSessionRoutes.openapi(
  route("get", "/console/session/sign_ins", {
    operationId: "listSignInsToConsole",
    summary: "List sign-ins to the console",
    description: "The newest 100 with the same key.",
    middleware: requireConsole,
    request: { headers },
    responses: { 200: jsonResponse(z.array(consoleSignInSchema), "Newest first.") },
  }),
  async (c) => {
    const { id: current, identity } = await requireSession(c);
    const rows = await listConsoleSessions(openDatabase(c.env.DB), idOf(identity), Date.now());
    return c.json(
      rows.map(({ id, userAgent, createdAt, expiresAt }) => ({
        id,
        user_agent: userAgent,
        created_at: new Date(createdAt).toISOString(),
        expires_at: new Date(expiresAt).toISOString(),
        is_current: id === current,
      })),
      200,
    );
  },
);

consoleSessionRoutes.openapi(
  route("delete", "/console/session/sign_ins", {
    operationId: "signOutOfConsoleEverywhere",
    summary: "Sign out of the console everywhere",
    description: "Ends all sign-ins with the same key, including this one.",
    middleware: requireConsole,
    request: { headers },
    responses: { 204: { description: "Signed out." } },
  }),
  async (c) => {
    const { identity } = await requireSession(c);
    await deleteConsoleSessions(openDatabase(c.env.DB), idOf(identity));
    deleteConsoleSession(c);
    return c.body(null, 204);
  },
);

consoleSessionRoutes.openapi(
  route("delete", "/console/session/sign_ins/{id}", {
    operationId: "endSignInToConsole",
    summary: "End a sign-in to the console",
    description: "One with the same key.",
    middleware: requireConsole,
    request: { headers, params: z.object({ id: textOf("Id of the sign-in.", "o4h8w2k6s0v3z9c1m5x7t2qd") }) },
    responses: { 204: { description: "It has ended." } },
  }),
  async (c) => {
    const { identity } = await requireSession(c);
    const { id } = c.req.valid("param");
    if (!(await deleteConsoleSessions(openDatabase(c.env.DB), idOf(identity), id))) {
      throw new ServiceError("not_found", "This key has no such sign-in");
    }
    return c.body(null, 204);
  },
);

/** @throws ServiceError 401 when nobody is signed in. */
async function requireSession(c: Context<ConsoleEnv>): Promise<ConsoleSession> {
  const session = await readConsoleSession(c);
  if (session === undefined || (await presentSession(c, session)) === undefined)
    throw unauthorized("Sign in to the console");
  return session;
}

/** @throws ServiceError 401 when the key is neither an API key nor the operator's token. */
async function identify(env: Env, key: string): Promise<ConsoleIdentity> {
  if (await isOperator(env, `Bearer ${key}`)) {
    return { kind: "operator", fingerprint: await operatorFingerprint(env) };
  }
  const keyHash = await sha256(key);
  const found = await findCallerByKey(openDatabase(env.DB), { keyHash }, Date.now());
  if (found === undefined) throw unknownKey();
  if (found.caller.organizationDisabled) throw new ServiceError("forbidden", "This organization is disabled");
  return { kind: "organization", keyId: found.caller.keyId };
}

function unknownLink(): ServiceError {
  return unauthorized("The sign-in link was used before or has expired; sign in with an API key");
}

function unknownKey(): ServiceError {
  return unauthorized("The API key is unknown, deleted or expired");
}

async function signInByAccess(c: Context<ConsoleEnv>): Promise<ConsoleSessionBody | undefined> {
  const session = await readAccess(c);
  const body = session && (await signIn(c, session));
  if (session !== undefined && body === undefined) {
    logError("access_signs_in_with_unknown_key", new Error("ACCESS_SIGNS_IN_AS is no valid API key"));
  }
  return body;
}

/** The identity of people whom Cloudflare Access lets in, while their token is valid. */
async function readAccess(c: Context<ConsoleEnv>): Promise<ConsoleSession | undefined> {
  const token = c.req.header("cf-access-jwt-assertion");
  const { access } = readSettings(c.env);
  const expiresAt = token === undefined ? undefined : await verifyAccessToken(token, access);
  if (expiresAt === undefined) return undefined;
  const identity: ConsoleIdentity =
    access.signsInAs === "operator"
      ? { kind: "operator", fingerprint: await operatorFingerprint(c.env) }
      : { kind: "organization", keyId: access.signsInAs };
  return { id: newIdentifier(), identity, expiresAt, byAccess: true };
}

/** @throws ServiceError 401 when the key is no longer valid. */
async function signInAs(c: Context<ConsoleEnv>, identity: ConsoleIdentity): Promise<ConsoleSessionBody> {
  const session = { id: newIdentifier(), identity, expiresAt: Number.POSITIVE_INFINITY, byAccess: false };
  const body = await signIn(c, session);
  if (body === undefined) throw unknownKey();
  return body;
}

/** @returns undefined when the key is no longer valid. */
async function signIn(
  c: Context<ConsoleEnv>,
  session: ConsoleSession,
): Promise<ConsoleSessionBody | undefined> {
  const latest = Date.now() + readSettings(c.env).consoleSessionMs;
  const expiresAt = Math.floor(Math.min(session.expiresAt, latest) / 1000) * 1000;
  const limited = { ...session, expiresAt };
  const body = await presentSession(c, limited);
  if (body === undefined) return undefined;
  await writeConsoleSession(c, limited);
  logEvent("console_signed_in", {
    kind: body.kind,
    by_access: session.byAccess,
    ...(body.kind === "organization" && {
      organization_id: body.organization.id,
      api_key_id: body.api_key.id,
    }),
  });
  return body;
}

/** @returns undefined when its key is no longer valid, or its organization is disabled. */
async function presentSession(
  c: Context<ConsoleEnv>,
  { identity, expiresAt, byAccess }: ConsoleSession,
): Promise<ConsoleSessionBody | undefined> {
  const shared = { expires_at: new Date(expiresAt).toISOString(), by_access: byAccess };
  if (identity.kind === "operator") {
    return (await isSignedInOperator(c.env, identity)) ? { kind: "operator", ...shared } : undefined;
  }
  const caller = await findKeyHolder(c, identity.keyId);
  if (caller === undefined || caller.organizationDisabled) return undefined;
  const database = openDatabase(c.env.DB);
  const [organization, apiKey] = await Promise.all([
    findOrganization(database, caller.organizationId),
    findAPIKey(database, caller, caller.keyId),
  ]);
  if (organization === undefined || apiKey === undefined) return undefined;
  return {
    kind: "organization",
    organization: { id: organization.id, name: organization.name },
    api_key: { id: apiKey.id, name: apiKey.name },
    ...shared,
  };
}
