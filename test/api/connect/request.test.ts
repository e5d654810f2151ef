import { describe, expect, it } from "vitest";
import { selectDialect } from "../../../src/api/connect/dialects.ts";
import { ConnectQuery, type ConnectRequest } from "../../../src/api/connect/request.ts";
import { ServiceError } from "../../../src/lib/common/errors.ts";

const RUN_PATH = "/client/v4/accounts/:account/browser-rendering/devtools/browser";
const ID = "htzv5orfit78e1m2biiifpbv";

function read(path: string, query: string): ConnectRequest {
  const params = new URLSearchParams(query);
  const given = new ConnectQuery(params, selectDialect(path, params));
  try {
    return given.read();
  } catch (error) {
    throw given.rename(error);
  }
}

function withLaunch(launch: object): string {
  return `token=k&launch=${encodeURIComponent(JSON.stringify(launch))}`;
}

function withOptions(options: unknown): string {
  return `options=${encodeURIComponent(JSON.stringify(options))}`;
}

const ACCEPTED: [path: string, query: string, request: object][] = [
  ["/connect", "token=k", { kind: "session", isKept: false, body: { timeout_seconds: 60, stealth: false } }],
  ["/connect", "timeout=300", { isKept: false, body: { timeout_seconds: 300 } }],
  ["/connect", "keep_alive=30&session=mine", { isKept: true, body: { timeout_seconds: 30, name: "mine" } }],
  ["/connect", "viewport=1280x720", { body: { viewport: { width: 1280, height: 720, refreshRate: 25 } } }],
  ["/connect", "viewport=1024x768", { body: { viewport: { width: 1024, height: 768, refreshRate: 60 } } }],
  ["/connect", "stealth&record=1&headless=false", { body: { stealth: true, record: true, headless: false } }],
  ["/connect", "tags.team=a&tags.x.y=b", { body: { tags: { team: "a", "x.y": "b" } } }],
  ["/connect", `tags.a=b&${withOptions({ tags: { c: "d" } })}`, { body: { tags: { a: "b", c: "d" } } }],
  ["/connect", "profile=shop&save_changes=true", { body: { profile: { name: "shop", save_changes: true } } }],
  ["/connect", `profile=${ID}&proxy=${ID}`, { body: { profile: { id: ID }, proxy_id: ID } }],
  ["/connect", `extensions=blocker,${ID}`, { body: { extensions: [{ name: "blocker" }, { id: ID }] } }],
  ["/connect", "start_url=https://a.test/", { body: { start_url: "https://a.test/" } }],
  [
    "/connect",
    `${withOptions({ viewport: { width: 800, height: 600, refresh_rate: 10 }, tags: { a: "b" } })}&stealth`,
    { body: { stealth: true, tags: { a: "b" }, viewport: { width: 800, height: 600, refreshRate: 10 } } },
  ],
  [
    "/connect",
    `${withOptions({ profile: { name: "shop" } })}&save_changes=true`,
    { body: { profile: { name: "shop", save_changes: true } } },
  ],
  [
    "/connect",
    "pool=warm&session=mine&tags.a=b&record=true",
    { kind: "pool", pool: "warm", body: { name: "mine", tags: { a: "b" }, record: true } },
  ],
  ["/chromium", "token=k&timeout=60000&blockAds=true&--lang=de", { maxLifetimeMs: 60_000 }],
  ["/chrome", "token=k&--window-size=800,600", { body: { viewport: { width: 800, height: 600 } } }],
  ["/", "token=k&timeout=60000&trackingId=t", { maxLifetimeMs: 60_000, body: { tags: { trackingId: "t" } } }],
  [
    "/",
    withLaunch({ headless: "shell", stealth: true, args: ["--window-size=1280,720", "--mute-audio"] }),
    { body: { headless: true, stealth: true, viewport: { width: 1280, height: 720 } } },
  ],
  [
    "/",
    `token=k&launch=${btoa('{"defaultViewport":{"width":640,"height":480},"slowMo":5,"timeout":1}')}`,
    { body: { viewport: { width: 640, height: 480 } } },
  ],
  [
    "/",
    `${withLaunch({ headless: true, stealth: true })}&headless=false`,
    { body: { headless: false, stealth: true } },
  ],
  ["/", "apiKey=k&projectId=p", { kind: "session", isKept: false }],
  ["/", `apiKey=k&sessionId=${ID}`, { kind: "existing", sessionId: ID }],
  ["/", "apiKey=k&timeout=300", { body: { timeout_seconds: 300 } }],
  ["/", "timeout=300", { body: { timeout_seconds: 300 } }],
  [RUN_PATH, "keep_alive=600000", { isKept: true, body: { timeout_seconds: 600 } }],
  [RUN_PATH, "keep_alive=500&recording=true", { isKept: true, body: { timeout_seconds: 10 } }],
];

const REFUSED: [path: string, query: string, fields: string[]][] = [
  ["/connect", "timeout=5", ["timeout"]],
  ["/connect", "timeout=x", ["timeout"]],
  ["/connect", "timeout=", ["timeout"]],
  ["/connect", "keep_alive=5", ["keep_alive"]],
  ["/connect", "keep_alive=60&timeout=60", ["timeout"]],
  ["/connect", "timeout=60&timeout=60", ["timeout"]],
  ["/connect", "viewport=1280", ["viewport"]],
  ["/connect", "viewport=1280,720", ["viewport"]],
  ["/connect", "viewport=1x1", ["viewport"]],
  ["/connect", "viewport=9000x720", ["viewport"]],
  ["/connect", "stealth=yes&record=maybe", ["stealth", "record"]],
  ["/connect", "session=a b", ["session"]],
  ["/connect", "save_changes=true", ["save_changes"]],
  ["/connect", "start_url=javascript:alert(1)", ["start_url"]],
  ["/connect", `tags.a=${"x".repeat(256)}`, ["tags.a"]],
  ["/connect", "tags.a=1&tags.a=2", ["tags.a"]],
  ["/connect", "stealthy=true", ["stealthy"]],
  ["/connect", "constructor=1", ["constructor"]],
  ["/connect", "launch={}", ["launch"]],
  ["/connect", "blockAds=true", ["blockAds"]],
  ["/connect", `sessionId=${ID}`, ["sessionId"]],
  ["/connect", "options=x", ["options"]],
  ["/connect", withOptions([1]), ["options"]],
  ["/connect", withOptions({ nope: 1 }), ["options.nope"]],
  ["/connect", withOptions({ pool: "warm" }), ["options.pool"]],
  ["/connect", withOptions({ timeout_seconds: 5 }), ["options.timeout_seconds"]],
  ["/connect", withOptions({ viewport: { width: 800 } }), ["options.viewport.height"]],
  ["/connect", `timeout=60&${withOptions({ timeout_seconds: 60 })}`, ["options.timeout_seconds"]],
  ["/connect", `${withOptions({ timeout_seconds: 60 })}&timeout=60`, ["timeout"]],
  ["/connect", `tags.a=b&${withOptions({ tags: { a: "b" } })}`, ["options.tags.a"]],
  ["/connect", withOptions({ tags: { a: 5 } }), ["options.tags.a"]],
  ["/connect", withOptions({ tags: ["a"] }), ["options.tags"]],
  [
    "/connect",
    withOptions({ viewport_mode: "supported", viewport: { width: 1280, height: 720 } }),
    ["options.viewport"],
  ],
  ["/connect", "pool=", ["pool"]],
  ["/connect", "pool=warm&keep_alive=60", ["keep_alive"]],
  ["/connect", "pool=warm&viewport=1280x720", ["viewport"]],
  ["/connect", `pool=warm&${withOptions({ stealth: true })}`, ["options.stealth"]],
  ["/chromium", "token=k&timeout=5", ["timeout"]],
  ["/chromium", "token=k&pool=warm&timeout=60000", ["timeout"]],
  ["/", "token=k&proxyCountry=us", ["proxyCountry"]],
  ["/", "token=k&--proxy-server=http://a.test", ["--proxy-server"]],
  ["/", withLaunch({ args: ["--proxy-server=http://a.test"] }), ["launch.args.--proxy-server"]],
  ["/", withLaunch({ userDataDir: "/tmp" }), ["launch.userDataDir"]],
  ["/", withLaunch({ stealth: "very" }), ["launch.stealth"]],
  ["/", withLaunch({ args: "--mute-audio" }), ["launch.args"]],
  ["/", "token=k&launch=%7B", ["launch"]],
  ["/", "apiKey=k&sessionId=", ["sessionId"]],
  [RUN_PATH, "keep_alive=soon", ["keep_alive"]],
];

describe("the query of a connect URL", () => {
  it.each(ACCEPTED)("%s?%s", (path, query, request) => {
    expect(read(path, query)).toMatchObject(request);
  });

  it.each(REFUSED)("is refused with the parameter's name: %s?%s", (path, query, fields) => {
    const refused = (() => {
      try {
        return read(path, query);
      } catch (error) {
        return error;
      }
    })();
    if (!(refused instanceof ServiceError)) throw new Error(`not refused: ${JSON.stringify(refused)}`);
    expect(refused.code).toBe("bad_request");
    expect(refused.problems.map(({ field }) => field)).toEqual(fields);
  });
});
