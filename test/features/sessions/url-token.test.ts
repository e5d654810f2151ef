import { SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { URL_TOKEN_ISSUER, URLTokens } from "../../../src/features/sessions/requests/url-token.ts";
import { SignedTokens } from "../../../src/lib/common/signed-tokens.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SECRET = "the present secret";
const PREVIOUS = "the secret before";
const tokens = new URLTokens(new SignedTokens(URL_TOKEN_ISSUER, [SECRET, PREVIOUS]), DAY_MS);

function decode(part: string | undefined): unknown {
  return JSON.parse(atob((part ?? "").replaceAll("-", "+").replaceAll("_", "/")));
}

function encode(value: unknown): string {
  return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

describe("URLTokens", () => {
  let kid: string;
  const nowSeconds = Math.floor(Date.now() / 1000);
  const claims = { scope: "cdp", iss: "berth", sub: "session", iat: nowSeconds, exp: nowSeconds + 3600 };

  beforeAll(async () => {
    const token = await tokens.sign("session", "cdp");
    kid = z.object({ kid: z.string() }).parse(decode(token.split(".")[0])).kid;
  });

  function forge(secret: string, header: { alg: string; kid?: string }, payload: Record<string, unknown>) {
    return new SignJWT(payload).setProtectedHeader(header).sign(new TextEncoder().encode(secret));
  }

  it("accepts its own token for its session and scope", async () => {
    await expect(tokens.verify(await tokens.sign("session", "cdp"), "session", ["cdp"])).resolves.toEqual({
      scope: "cdp",
      generation: 0,
    });
  });

  it("returns the lease of a token", async () => {
    const token = await tokens.sign("session", "live:watch", { lease: 7 });
    await expect(tokens.verify(token, "session", ["live:watch"])).resolves.toEqual({
      scope: "live:watch",
      lease: 7,
      generation: 0,
    });
  });

  it("accepts a valid hand-made token, so that the rejections below have their own reasons", async () => {
    await expect(
      tokens.verify(await forge(SECRET, { alg: "HS256", kid }, claims), "session", ["cdp"]),
    ).resolves.toEqual({ scope: "cdp", generation: 0 });
  });

  it("accepts the previous secret, but signs with the current one", async () => {
    const before = new URLTokens(new SignedTokens(URL_TOKEN_ISSUER, [PREVIOUS]), DAY_MS);
    const old = await before.sign("session", "cdp");
    await expect(tokens.verify(old, "session", ["cdp"])).resolves.toEqual({ scope: "cdp", generation: 0 });
    const present = await tokens.sign("session", "cdp");
    await expect(before.verify(present, "session", ["cdp"])).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("reports an expired token", async () => {
    const token = await tokens.sign("session", "cdp", { now: Date.now() - DAY_MS - 1000 });
    await expect(tokens.verify(token, "session", ["cdp"])).rejects.toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("expired"),
    });
  });

  it("accepts a token until it expires", async () => {
    const token = await tokens.sign("session", "cdp", { now: Date.now() - DAY_MS + 60_000 });
    await expect(tokens.verify(token, "session", ["cdp"])).resolves.toEqual({ scope: "cdp", generation: 0 });
  });

  it("does not reveal the secret in the header", async () => {
    const [header] = (await tokens.sign("session", "cdp")).split(".");
    expect(JSON.stringify(decode(header))).not.toContain(SECRET);
    expect(kid).toMatch(/^[0-9a-f]{16}$/);
  });

  const invalid: [string, () => string | Promise<string>][] = [
    ["a token of another session", () => tokens.sign("another", "cdp")],
    [
      "a token of another scope",
      () => forge(SECRET, { alg: "HS256", kid }, { ...claims, scope: "live:watch" }),
    ],
    ["no scope", () => forge(SECRET, { alg: "HS256", kid }, { ...claims, scope: undefined })],
    ["a token of another issuer", () => forge(SECRET, { alg: "HS256", kid }, { ...claims, iss: "somebody" })],
    ["no expiry", () => forge(SECRET, { alg: "HS256", kid }, { ...claims, exp: undefined })],
    ["another secret under a known kid", () => forge("another secret", { alg: "HS256", kid }, claims)],
    ["an unknown kid", () => forge(SECRET, { alg: "HS256", kid: "0000000000000000" }, claims)],
    ["no kid", () => forge(SECRET, { alg: "HS256" }, claims)],
    ["another algorithm", () => forge(SECRET, { alg: "HS512", kid }, claims)],
    ["alg none", () => `${encode({ alg: "none", kid })}.${encode(claims)}.`],
    [
      "a changed payload",
      async () => {
        const [header, , signature] = (await tokens.sign("another", "cdp")).split(".");
        return `${header}.${encode(claims)}.${signature}`;
      },
    ],
    [
      "a missing signature",
      async () => {
        const token = await tokens.sign("session", "cdp");
        return token.slice(0, token.lastIndexOf(".") + 1);
      },
    ],
    ["garbage", () => "not.a.token"],
    ["nothing", () => ""],
  ];

  it.each(invalid)("rejects %s", async (_, make) => {
    await expect(tokens.verify(await make(), "session", ["cdp"])).rejects.toMatchObject({
      code: "unauthorized",
    });
  });
});
