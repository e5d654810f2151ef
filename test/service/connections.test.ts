import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { DevToolsClient, readUpgradeError } from "../conformance/devtools-client.ts";
import { SharedService } from "../conformance/shared-service.ts";

let address: URL;
let otherToken: string;
let pageId: string;

const service = await SharedService.use();

beforeAll(async () => {
  const [own, other] = await Promise.all([createSession(), createSession()]);
  address = own;
  otherToken = token(other);
  using client = await DevToolsClient.connect(address.href);
  pageId = (await client.pages())[0]?.targetId ?? "";
});

async function createSession(): Promise<URL> {
  return new URL((await service.kernel().browsers.create({ timeout_seconds: 600 })).cdp_ws_url);
}

function token(url: URL): string {
  const jwt = url.searchParams.get("jwt");
  if (jwt === null) throw new Error("the address has no token");
  return jwt;
}

function withToken(url: URL, jwt: string | undefined): URL {
  const changed = new URL(url);
  changed.searchParams.delete("jwt");
  if (jwt !== undefined) changed.searchParams.set("jwt", jwt);
  return changed;
}

/** Signs the session's token again with changes. */
async function signed(
  changes: { secret?: string; claims?: Record<string, unknown>; header?: Partial<JWTHeaderParameters> } = {},
): Promise<string> {
  const genuine = token(address);
  const { alg, kid } = decodeProtectedHeader(genuine);
  const secret = new TextEncoder().encode(changes.secret ?? service.tokenSecret);
  return new SignJWT({ ...decodeJwt(genuine), ...changes.claims })
    .setProtectedHeader({ alg: alg ?? "", kid, ...changes.header })
    .sign(secret);
}

function unsigned(): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode(decodeJwt(token(address)))}.`;
}

function tampered(): string {
  const [header, , signature] = token(address).split(".");
  const claims = { ...decodeJwt(token(address)), exp: 4_000_000_000 };
  return `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`;
}

const EXPIRED = Math.floor(Date.now() / 1000) - 3600;

const BAD_TOKENS: [string, () => string | undefined | Promise<string>][] = [
  ["no token", () => undefined],
  ["an empty token", () => ""],
  ["a malformed token", () => "not.a.token"],
  ["another session's token", () => otherToken],
  ["an expired token", () => signed({ claims: { exp: EXPIRED } })],
  ["a token without expiry", () => signed({ claims: { exp: undefined } })],
  [
    "a token signed with another secret",
    () => signed({ secret: "a secret of somebody else's, long enough" }),
  ],
  ["a token with an unknown key id", () => signed({ header: { kid: "0000000000000000" } })],
  ["a token signed with another algorithm", () => signed({ header: { alg: "HS512" } })],
  ["an unsigned token", unsigned],
  ["a token with changed claims", tampered],
  ["a token with another scope", () => signed({ claims: { scope: "live:watch" } })],
];

const PATHS: [string, () => string][] = [
  ["the session's socket", () => ""],
  ["a page's socket", () => `/devtools/page/${pageId}`],
];

describe("session URL", () => {
  test("accepts a newly signed token", async () => {
    for (const [, path] of PATHS) {
      const url = withToken(address, await signed());
      url.pathname += path();
      using client = await DevToolsClient.connect(url.href);
      expect(await client.evaluate("1 + 1", path() === "" ? await client.attach() : undefined)).toBe(2);
    }
  });

  for (const [name, makeToken] of BAD_TOKENS) {
    test(`rejects ${name} before the upgrade`, async () => {
      const jwt = await makeToken();
      for (const [, path] of PATHS) {
        const url = withToken(address, jwt);
        url.pathname += path();
        expect(await readUpgradeError(url.href)).toMatchObject({
          status: 401,
          body: { code: "unauthorized" },
        });
      }
      for (const path of ["/json/version", "/json/list", "/json"]) {
        const url = withToken(address, jwt);
        url.protocol = "http:";
        url.pathname += path;
        const response = await fetch(url);
        expect([response.status, await response.json()]).toMatchObject([401, { code: "unauthorized" }]);
      }
    });
  }

  test("rejects an API key as the token", async () => {
    expect(await readUpgradeError(withToken(address, service.apiKey).href)).toMatchObject({ status: 401 });
  });

  test("returns 410 for an ended session and 404 for an unknown one", async () => {
    const kernel = service.kernel();
    const { session_id, cdp_ws_url } = await kernel.browsers.create();
    await kernel.browsers.deleteByID(session_id);
    expect(await readUpgradeError(cdp_ws_url)).toMatchObject({ status: 410, body: { code: "gone" } });

    const unknownId = "nosuchsession00000000000";
    const unknown = withToken(address, await signed({ claims: { sub: unknownId } }));
    unknown.pathname = `/cdp/${unknownId}`;
    expect(await readUpgradeError(unknown.href)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
