import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { newIdentifier } from "../../src/common/identifiers.ts";
import { SignedTokens } from "../../src/common/signed-tokens.ts";
import { URL_TOKEN_ISSUER, URLTokens } from "../../src/sessions/api/url-token.ts";
import { Client, newClient, ORIGIN, openSocket, upgrade } from "../api.ts";
import { useFakeBrowsers } from "../fakes/browser-binding.ts";
import { EMPTY_STORAGE, readStorage } from "../objects.ts";
import { Listener } from "../sockets.ts";

const browsers = useFakeBrowsers();
const anybody = new Client();
const tokens = signedWith(env.TOKEN_SECRET);

function signedWith(secret: string): URLTokens {
  return new URLTokens(new SignedTokens(URL_TOKEN_ISSUER, [secret]), 3_600_000);
}

const addressed = z.object({ webSocketDebuggerUrl: z.string() });

describe("a session's DevTools address", () => {
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

  it("carries commands to the browser and answers back, for several clients at once and again after each", async () => {
    for (let round = 0; round < 2; round += 1) {
      const sockets = await Promise.all([openSocket(url), openSocket(url), openSocket(url)]);
      for (const socket of sockets) {
        const heard = new Listener(socket);
        socket.send('{"id":7,"method":"Browser.getVersion"}');
        expect(await heard.first(1)).toEqual([expect.stringContaining('"product":')]);
        socket.close(1000);
      }
    }
  });

  it("ends the client's connection on Browser.close, and the session goes on", async () => {
    const socket = await openSocket(url);
    const heard = new Listener(socket);
    socket.send('{"id":1,"method":"Browser.close"}');
    expect((await heard.closed).code).toBe(1000);
    expect(heard.frames).toEqual(['{"id":1,"result":{}}']);
    expect((await client.get(`/browsers/${id}`)).status).toBe(200);
    expect(browsers.commands.map(({ method }) => method)).not.toContain("Browser.close");
    (await openSocket(url)).close(1000);
  });

  it("opens a single page", async () => {
    const socket = await openSocket(`${ORIGIN}/cdp/${id}/devtools/page/page-1?jwt=${jwt}`);
    socket.close(1000);
  });

  it.each(["/json/version", "/json/version/"])("serves %s with the address to connect to", async (path) => {
    const answer = await anybody.get(`/cdp/${id}${path}?jwt=${jwt}`);
    const { webSocketDebuggerUrl } = answer.read(addressed);
    expect(answer.text).not.toContain("inside");
    expect(new URL(webSocketDebuggerUrl)).toMatchObject({ protocol: "wss:", pathname: `/cdp/${id}` });
    (await openSocket(webSocketDebuggerUrl)).close(1000);
  });

  it.each(["/json", "/json/", "/json/list", "/json/list/"])(
    "serves %s with addresses to connect to",
    async (path) => {
      const answer = await anybody.get(`/cdp/${id}${path}?jwt=${jwt}`);
      const targets = answer.read(addressed.array());
      expect(answer.text).not.toContain("inside");
      expect(targets).toHaveLength(1);
      for (const { webSocketDebuggerUrl } of targets) (await openSocket(webSocketDebuggerUrl)).close(1000);
    },
  );

  const paths = ["", "/json/version", "/json/list", "/devtools/page/page-1"];

  describe.each(paths)("at %j", (path) => {
    const address = (token: string, session = id) => `${ORIGIN}/cdp/${session}${path}?jwt=${token}`;
    const refusals: [string, () => string | Promise<string>][] = [
      ["no token", () => `${ORIGIN}/cdp/${id}${path}`],
      ["an empty token", () => address("")],
      ["a forged token", () => address(`${jwt.slice(0, -4)}AAAA`)],
      ["garbage", () => address("garbage")],
      ["another session's token", async () => address(await tokens.sign(newIdentifier(), "cdp"))],
      [
        "an expired token",
        async () => address(await tokens.sign(id, "cdp", { now: Date.now() - 3_700_000 })),
      ],
      ["an API key", () => address(client.token ?? "")],
      ["another secret's token", async () => address(await signedWith("x").sign(id, "cdp"))],
    ];

    it.each(refusals)("answers 401 to %s, before any upgrade", async (_, make) => {
      const response = await upgrade(await make());
      expect(response.status).toBe(401);
      expect(response.webSocket).toBeNull();
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(await response.json()).toMatchObject({ code: "unauthorized" });
    });

    it("answers 404 for a made-up session, whose object stays empty", async () => {
      const made = newIdentifier();
      const response = await upgrade(address(await tokens.sign(made, "cdp"), made));
      expect(response.status).toBe(404);
      expect(await readStorage(made)).toEqual(EMPTY_STORAGE);
    });

    it("answers 410 for a session that has ended, and says why", async () => {
      const session = await client.createSession();
      await client.delete(`/browsers/${session.session_id}`);
      const token = new URL(session.cdp_ws_url).searchParams.get("jwt") ?? "";
      const response = await upgrade(address(token, session.session_id));
      expect(response.status).toBe(410);
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(await response.json()).toMatchObject({
        code: "gone",
        message: expect.stringContaining("deleted"),
      });
    });
  });

  it("answers 426 to a call that is no upgrade", async () => {
    const answer = await anybody.get(`/cdp/${id}?jwt=${jwt}`);
    expect(answer.status).toBe(426);
    expect(answer.error.code).toBe("upgrade_required");
  });

  it("accepts a token of the secret before the present one", async () => {
    const token = await signedWith("the secret before").sign(id, "cdp");
    const address = `${ORIGIN}/cdp/${id}/json/version?jwt=${token}`;
    expect((await upgrade(address)).status).toBe(401);
    env.TOKEN_SECRET_PREVIOUS = "the secret before";
    try {
      expect((await upgrade(address)).status).toBe(200);
    } finally {
      env.TOKEN_SECRET_PREVIOUS = undefined;
    }
  });
});
