import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { URL_TOKEN_ISSUER, URLTokens } from "../../../src/features/sessions/requests/url-token.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { SignedTokens } from "../../../src/lib/common/signed-tokens.ts";
import { Client, newClient, ORIGIN, openSocket, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { EMPTY_STORAGE, readStorage } from "../../objects.ts";
import { Listener } from "../../sockets.ts";

const browsers = useFakeBrowsers();
const anonymous = new Client();
const tokens = signedWith(env.TOKEN_SECRET);

function signedWith(secret: string): URLTokens {
  return new URLTokens(new SignedTokens(URL_TOKEN_ISSUER, [secret]), 3_600_000);
}

const targetSchema = z.object({ webSocketDebuggerUrl: z.string() });

describe("a session's CDP URL", () => {
  let client: Client;
  let id: string;
  let url: string;
  let jwt: string;

  beforeAll(async () => {
    client = await newClient();
    const session = await client.createSession({ timeout_seconds: 3600 });
    id = session.session_id;
    url = session.cdp_ws_url;
    jwt = new URL(url).searchParams.get("jwt") ?? "";
  });

  it("relays commands and responses for concurrent and successive clients", async () => {
    for (let round = 0; round < 2; round += 1) {
      const sockets = await Promise.all([openSocket(url), openSocket(url), openSocket(url)]);
      for (const socket of sockets) {
        const listener = new Listener(socket);
        socket.send('{"id":7,"method":"Browser.getVersion"}');
        expect(await listener.first(1)).toEqual([expect.stringContaining('"product":')]);
        socket.close(1000);
      }
    }
  });

  it("closes only the client's connection on Browser.close", async () => {
    const socket = await openSocket(url);
    const listener = new Listener(socket);
    socket.send('{"id":1,"method":"Browser.close"}');
    expect((await listener.closed).code).toBe(1000);
    expect(listener.frames).toEqual(['{"id":1,"result":{}}']);
    expect((await client.get(`/browsers/${id}`)).status).toBe(200);
    expect(browsers.commands.map(({ method }) => method)).not.toContain("Browser.close");
    (await openSocket(url)).close(1000);
  });

  it("connects to a single page", async () => {
    const socket = await openSocket(`${ORIGIN}/cdp/${id}/devtools/page/page-1?jwt=${jwt}`);
    socket.close(1000);
  });

  it.each(["/json/version", "/json/version/"])("serves %s with the URL to connect to", async (path) => {
    const response = await anonymous.get(`/cdp/${id}${path}?jwt=${jwt}`);
    const { webSocketDebuggerUrl } = response.read(targetSchema);
    expect(response.text).not.toContain("inside");
    expect(new URL(webSocketDebuggerUrl)).toMatchObject({ protocol: "wss:", pathname: `/cdp/${id}` });
    (await openSocket(webSocketDebuggerUrl)).close(1000);
  });

  it.each(["/json", "/json/", "/json/list", "/json/list/"])(
    "serves %s with URLs to connect to",
    async (path) => {
      const response = await anonymous.get(`/cdp/${id}${path}?jwt=${jwt}`);
      const targets = response.read(targetSchema.array());
      expect(response.text).not.toContain("inside");
      expect(targets).toHaveLength(1);
      for (const { webSocketDebuggerUrl } of targets) (await openSocket(webSocketDebuggerUrl)).close(1000);
    },
  );

  const paths = ["", "/json/version", "/json/list", "/devtools/page/page-1"];

  describe.each(paths)("at %j", (path) => {
    const urlWith = (token: string, session = id) => `${ORIGIN}/cdp/${session}${path}?jwt=${token}`;
    const refusals: [string, () => string | Promise<string>][] = [
      ["no token", () => `${ORIGIN}/cdp/${id}${path}`],
      ["an empty token", () => urlWith("")],
      ["a forged token", () => urlWith(`${jwt.slice(0, -4)}AAAA`)],
      ["garbage", () => urlWith("garbage")],
      ["another session's token", async () => urlWith(await tokens.sign(newIdentifier(), "cdp"))],
      [
        "an expired token",
        async () => urlWith(await tokens.sign(id, "cdp", { now: Date.now() - 3_700_000 })),
      ],
      ["an API key", () => urlWith(client.token ?? "")],
      ["another secret's token", async () => urlWith(await signedWith("x").sign(id, "cdp"))],
    ];

    it.each(refusals)("returns 401 for %s before any upgrade", async (_, make) => {
      const response = await upgrade(await make());
      expect(response.status).toBe(401);
      expect(response.webSocket).toBeNull();
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(await response.json()).toMatchObject({ code: "unauthorized" });
    });

    it("returns 404 for an unknown session and stores nothing", async () => {
      const unknownId = newIdentifier();
      const response = await upgrade(urlWith(await tokens.sign(unknownId, "cdp"), unknownId));
      expect(response.status).toBe(404);
      expect(await readStorage(unknownId)).toEqual(EMPTY_STORAGE);
    });

    it("returns 410 with the reason for an ended session", async () => {
      const session = await client.createSession();
      await client.delete(`/browsers/${session.session_id}`);
      const token = new URL(session.cdp_ws_url).searchParams.get("jwt") ?? "";
      const response = await upgrade(urlWith(token, session.session_id));
      expect(response.status).toBe(410);
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(await response.json()).toMatchObject({
        code: "gone",
        message: expect.stringContaining("deleted"),
      });
    });
  });

  it("returns 426 for a request that is not an upgrade", async () => {
    const response = await anonymous.get(`/cdp/${id}?jwt=${jwt}`);
    expect(response.status).toBe(426);
    expect(response.error.code).toBe("upgrade_required");
  });

  it("accepts a token signed with the previous secret", async () => {
    const token = await signedWith("previous secret").sign(id, "cdp");
    const versionURL = `${ORIGIN}/cdp/${id}/json/version?jwt=${token}`;
    expect((await upgrade(versionURL)).status).toBe(401);
    env.TOKEN_SECRET_PREVIOUS = "previous secret";
    try {
      expect((await upgrade(versionURL)).status).toBe(200);
    } finally {
      env.TOKEN_SECRET_PREVIOUS = undefined;
    }
  });
});
