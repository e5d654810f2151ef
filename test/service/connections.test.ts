import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DevToolsClient, refusedUpgrade } from "../conformance/devtools-client.ts";
import { SharedService } from "../conformance/shared-service.ts";

let service: SharedService;
let address: URL;
let othersToken: string;
let pageId: string;

beforeAll(async () => {
  service = await SharedService.use();
  const [own, other] = await Promise.all([createSession(), createSession()]);
  address = own;
  othersToken = token(other);
  using client = await DevToolsClient.connect(address.href);
  pageId = (await client.pages())[0]?.targetId ?? "";
});
afterAll(() => service.end());

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

/** The session's token as Berth signs it, but for what is changed. */
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
  ["a token that is none", () => "not.a.token"],
  ["another session's token", () => othersToken],
  ["an expired token", () => signed({ claims: { exp: EXPIRED } })],
  ["a token without expiry", () => signed({ claims: { exp: undefined } })],
  [
    "a token signed with another secret",
    () => signed({ secret: "a secret of somebody else's, long enough" }),
  ],
  ["a token signed with an unknown key's name", () => signed({ header: { kid: "0000000000000000" } })],
  ["a token signed with another algorithm", () => signed({ header: { alg: "HS512" } })],
  ["an unsigned token", unsigned],
  ["a token with changed claims", tampered],
  ["a token for something else", () => signed({ claims: { scope: "live:watch" } })],
];

/** Every address below a session's, and its socket. */
const PATHS: [string, () => string][] = [
  ["its socket", () => ""],
  ["a page's socket", () => `/devtools/page/${pageId}`],
];

describe("a session's address", () => {
  test("opens with a token as Berth signs it: what the cases below differ in is what is refused", async () => {
    for (const [, path] of PATHS) {
      const url = withToken(address, await signed());
      url.pathname += path();
      using client = await DevToolsClient.connect(url.href);
      expect(await client.evaluate("1 + 1", path() === "" ? await client.attach() : undefined)).toBe(2);
    }
  });

  for (const [what, makeToken] of BAD_TOKENS) {
    test(`refuses ${what} before the upgrade`, async () => {
      const jwt = await makeToken();
      for (const [, path] of PATHS) {
        const url = withToken(address, jwt);
        url.pathname += path();
        expect(await refusedUpgrade(url.href)).toMatchObject({ status: 401, body: { code: "unauthorized" } });
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

  test("is not open to an API key in the place of the token", async () => {
    expect(await refusedUpgrade(withToken(address, service.apiKey).href)).toMatchObject({ status: 401 });
  });

  test("answers 410 once the session has ended, and 404 when there never was one", async () => {
    const kernel = service.kernel();
    const { session_id, cdp_ws_url } = await kernel.browsers.create();
    await kernel.browsers.deleteByID(session_id);
    expect(await refusedUpgrade(cdp_ws_url)).toMatchObject({ status: 410, body: { code: "gone" } });

    const nobody = "nosuchsession00000000000";
    const unknown = withToken(address, await signed({ claims: { sub: nobody } }));
    unknown.pathname = `/cdp/${nobody}`;
    expect(await refusedUpgrade(unknown.href)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
