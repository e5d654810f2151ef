import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import {
  type TokenScope,
  URL_TOKEN_ISSUER,
  URLTokens,
} from "../../../src/features/sessions/requests/url-token.ts";
import { newIdentifier } from "../../../src/lib/common/identifiers.ts";
import { SignedTokens } from "../../../src/lib/common/signed-tokens.ts";
import { Client, newClient, ORIGIN, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { ViewerPage } from "../../features/live-view/viewers.ts";
import { EMPTY_STORAGE, readStorage } from "../../objects.ts";

const browsers = useFakeBrowsers();
const anonymous = new Client();
const LIFETIME_MS = 3_600_000;
const tokens = signedWith(env.TOKEN_SECRET);

function signedWith(secret: string): URLTokens {
  return new URLTokens(new SignedTokens(URL_TOKEN_ISSUER, [secret]), LIFETIME_MS);
}

const address = (sessionId: string, token: string) => `${ORIGIN}/live/${sessionId}?jwt=${token}`;
const sign = (sessionId: string, scope: TokenScope) => tokens.sign(sessionId, scope);
const client = await newClient();
const session = await client.createSession({ timeout_seconds: 3600 });
const id = session.session_id;
const url = session.browser_live_view_url ?? "";

describe("live view page", () => {
  it.each(["", "?jwt=garbage", "?jwt="])(
    "is public and the same for every session, with %j",
    async (query) => {
      const answer = await anonymous.get(`/live/${newIdentifier()}${query}`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.text).toBe((await anonymous.get(`/live/${id}`)).text);
    },
  );

  it("has headers against caching, referrers and content sniffing", async () => {
    const { headers } = await anonymous.get(`/live/${id}`);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("set-cookie")).toBeNull();
    expect(headers.get("x-frame-options")).toBeNull();
  });

  it("is restricted to its own origin by a content security policy", async () => {
    const { headers } = await anonymous.get(`/live/${id}`);
    const policy = headers.get("content-security-policy") ?? "";
    const directives = Object.fromEntries(
      policy.split(";").map((directive) => {
        const [name = "", ...sources] = directive.trim().split(/\s+/);
        return [name, sources.join(" ")];
      }),
    );
    expect(directives).toEqual({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "img-src": "'self' blob: data:",
      "connect-src": `'self' ${ORIGIN.replace("http", "ws")}`,
      "base-uri": "'none'",
      "form-action": "'none'",
      "frame-ancestors": "*",
    });
  });

  it("may connect to its socket at PUBLIC_URL", async () => {
    env.PUBLIC_URL = "https://public.example";
    try {
      const { headers } = await anonymous.get(`/live/${id}`);
      expect(headers.get("content-security-policy")).toContain(
        "connect-src 'self' wss://public.example wss://berth.test;",
      );
    } finally {
      env.PUBLIC_URL = "";
    }
  });

  it.each(["'none'", "'self' https://app.example"])(
    "has the frame ancestors %s of the setting",
    async (sources) => {
      env.LIVE_VIEW_FRAME_ANCESTORS = sources;
      try {
        const { headers } = await anonymous.get(`/live/${id}`);
        expect(headers.get("content-security-policy")).toMatch(new RegExp(`frame-ancestors ${sources}$`));
      } finally {
        env.LIVE_VIEW_FRAME_ANCESTORS = "*";
      }
    },
  );

  it("loads all files from the service and has nothing inline", async () => {
    const { text } = await anonymous.get(`/live/${id}`);
    const files = [...text.matchAll(/(?:src|href)="(?!data:)([^"]+)"/g)].map(([, file = ""]) => file);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const answer = await anonymous.get(new URL(file, `${ORIGIN}/live/${id}`).pathname);
      expect(answer.status, file).toBe(200);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("content-type"), file).toMatch(/javascript|css|svg|image/);
    }
    expect(text).not.toMatch(/<style|<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=/i);
  });

  it.each(["nosuchfile.js", "nosuchfile.css"])("has no file %s", async (file) => {
    const answer = await anonymous.get(`/live-view/${file}`);
    expect(answer.status).toBe(404);
    expect(answer.error.code).toBe("not_found");
  });

  it.each([
    ["the page without its headers", "index.html"],
    ["the page without its headers", "index"],
    ["files of other pages", "..%2fdocs%2fviewer.js"],
    ["files that are not listed", "page.js.map"],
  ])("does not serve %s: %s", async (_, file) => {
    expect([401, 404]).toContain((await anonymous.get(`/live-view/${file}`)).status);
    expect((await client.get(`/live-view/${file}`)).status).toBe(404);
  });
});

describe("live view socket", () => {
  it("returns 426 to requests without an upgrade", async () => {
    const answer = await anonymous.get(new URL(url).pathname.concat("/socket", new URL(url).search));
    expect(answer.status).toBe(426);
    expect(answer.error.code).toBe("upgrade_required");
  });

  it.each<[string, Record<string, string>]>([
    ["without an origin", {}],
    ["of another origin", { origin: "https://evil.example" }],
    ["of an opaque origin", { origin: "null" }],
    ["of an origin with the same prefix", { origin: "https://berth.test.evil.example" }],
    ["of the same host with another scheme", { origin: "http://berth.test" }],
    ["of the same host on another port", { origin: "https://berth.test:8443" }],
  ])("returns 403 to a page %s", async (_, headers) => {
    const response = await upgrade(`${ORIGIN}/live/${id}/socket${new URL(url).search}`, headers);
    expect(response.status).toBe(403);
    expect(response.webSocket).toBeNull();
    expect(await response.json()).toMatchObject({ code: "forbidden" });
  });

  it("accepts the origins of PUBLIC_URL and of the request", async () => {
    env.PUBLIC_URL = "https://public.example";
    try {
      for (const origin of ["https://public.example", ORIGIN]) {
        const viewer = await ViewerPage.open(url, "", origin);
        await viewer.waitFor("welcome");
        viewer.close();
      }
    } finally {
      env.PUBLIC_URL = "";
    }
  });

  const invalidTokens: [string, () => string | Promise<string>][] = [
    ["no token", () => `${ORIGIN}/live/${id}?`],
    ["an empty token", () => address(id, "")],
    ["garbage", () => address(id, "garbage")],
    ["a forged token", () => `${url.slice(0, -4)}AAAA`],
    ["a token of another session", async () => address(id, await sign(newIdentifier(), "live:control"))],
    ["a DevTools token", async () => address(id, await sign(id, "cdp"))],
    [
      "an expired token",
      async () =>
        address(id, await tokens.sign(id, "live:control", { now: Date.now() - LIFETIME_MS - 60_000 })),
    ],
    ["a token of another secret", async () => address(id, await signedWith("x").sign(id, "live:control"))],
    ["an API key", () => address(id, client.token ?? "")],
    [
      "an unknown session",
      async () => {
        const unknown = newIdentifier();
        return address(unknown, await sign(unknown, "live:control"));
      },
    ],
    [
      "an ended session",
      async () => {
        const session = await client.createSession();
        await client.delete(`/browsers/${session.session_id}`);
        return session.browser_live_view_url ?? "";
      },
    ],
    [
      "a headless session",
      async () => {
        const session = await client.createSession({ headless: true });
        return address(session.session_id, await sign(session.session_id, "live:control"));
      },
    ],
  ];

  it.each(invalidTokens)("sends `ended` and closes for %s", async (_, make) => {
    const viewer = await ViewerPage.open(await make());
    expect(await viewer.closed).toMatchObject({ code: 1008 });
    expect(viewer.messages).toMatchObject([{ type: "ended", reason: expect.any(String) }]);
    expect(viewer.pictures).toEqual([]);
  });

  it("reports the reason: an expired token, a deleted session", async () => {
    const expired = address(
      id,
      await tokens.sign(id, "live:watch", { now: Date.now() - LIFETIME_MS - 60_000 }),
    );
    const first = await ViewerPage.open(expired);
    await first.closed;
    expect(first.messages).toEqual([
      { type: "ended", cause: "link", reason: expect.stringContaining("expired") },
    ]);
    const session = await client.createSession();
    await client.delete(`/browsers/${session.session_id}`);
    const second = await ViewerPage.open(session.browser_live_view_url ?? "");
    await second.closed;
    expect(second.messages).toEqual([
      { type: "ended", cause: "session", reason: expect.stringContaining("deleted") },
    ]);
  });

  it("leaves the object of an unknown session empty", async () => {
    const unknown = newIdentifier();
    await (await ViewerPage.open(address(unknown, await sign(unknown, "live:control")))).closed;
    expect(await readStorage(unknown)).toEqual(EMPTY_STORAGE);
  });

  it("returns 500 instead of `ended` while the service fails, so that the page retries", async () => {
    const secret = env.TOKEN_SECRET;
    env.TOKEN_SECRET = "";
    try {
      const response = await upgrade(`${ORIGIN}/live/${id}/socket${new URL(url).search}`, { origin: ORIGIN });
      expect(response.status).toBe(500);
    } finally {
      env.TOKEN_SECRET = secret;
    }
  });

  it("accepts tokens of the previous secret", async () => {
    const token = await signedWith("the secret before").sign(id, "live:watch");
    env.TOKEN_SECRET_PREVIOUS = "the secret before";
    try {
      const viewer = await ViewerPage.open(address(id, token));
      await viewer.waitFor("welcome");
      expect(viewer.messages[0]).toMatchObject({ type: "welcome", mode: "watch" });
      viewer.close();
    } finally {
      env.TOKEN_SECRET_PREVIOUS = undefined;
    }
  });
});

describe("live view tokens", () => {
  it.each<[TokenScope, string, string]>([
    ["live:control", "", "control"],
    ["live:control", "&readOnly=false", "control"],
    ["live:control", "&readOnly=true", "watch"],
    ["live:watch", "", "watch"],
    ["live:watch", "&readOnly=false", "watch"],
    ["live:watch", "&readOnly=true", "watch"],
    ["live:watch", "&mode=control", "watch"],
    ["live:watch", "&scope=live:control", "watch"],
  ])("%s with %j: mode %s", async (scope, query, mode) => {
    const viewer = await ViewerPage.open(address(id, await sign(id, scope)), query);
    await viewer.waitFor("welcome");
    expect(viewer.messages[0]).toEqual({
      type: "welcome",
      mode,
      kiosk: false,
      viewport: { width: 1920, height: 1080 },
    });
    viewer.close();
  });

  it("are limited by the first readOnly, even with a second one", async () => {
    const viewer = await ViewerPage.open(url, "&readOnly=true&readOnly=false");
    await viewer.waitFor("welcome");
    expect(viewer.messages[0]).toMatchObject({ mode: "watch" });
    viewer.close();
  });

  it.each<TokenScope>(["live:control", "live:watch"])("%s does not open DevTools", async (scope) => {
    const token = await sign(id, scope);
    for (const path of ["", "/json/version", "/json/list", "/devtools/page/page-1"]) {
      const response = await upgrade(`${ORIGIN}/cdp/${id}${path}?jwt=${token}`);
      expect(response.status, path).toBe(401);
      expect(response.webSocket).toBeNull();
    }
  });

  it("do not authenticate API requests", async () => {
    const token = new URL(url).searchParams.get("jwt") ?? "";
    const answer = await new Client(token).get(`/browsers/${id}?jwt=${token}`);
    expect(answer.status).toBe(401);
    expect(browsers.commands.map(({ method }) => method)).not.toContainEqual(
      expect.stringMatching(/^Input\./),
    );
  });
});
