import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { publicRegistry } from "../../../src/apps/deployments/package-gateway.ts";
import { deploymentSchema } from "../../../src/apps/deployments/schema.ts";
import { type Client, newClient } from "../../api.ts";
import { buildZip } from "../../archives/zip-builder.ts";
import { answerAsRegistry, type RegistryPackage } from "../../fakes/package-registry.ts";
import {
  appSource,
  deployed,
  deploymentForm,
  eventsUntil,
  isSettled,
  postDeployment,
  settled,
} from "./deployments.ts";

const REGISTRY = "https://registry.test:8443";

const PACKAGES: Record<string, RegistryPackage> = {
  greeting: {
    version: "1.2.0",
    dependencies: { "@scope/name": "^2.0.0" },
    files: {
      "package.json": '{"name": "greeting", "main": "index.js"}',
      "index.js": 'exports.greeting = "hello-" + require("@scope/name");\n//# sourceMappingURL=index.js.map',
    },
  },
  "@scope/name": {
    version: "2.0.1",
    files: {
      "package.json": '{"name": "@scope/name", "exports": "./lib.js"}',
      "lib.js": 'module.exports = "name";',
    },
  },
  broken: {
    version: "1.0.0",
    dependencies: { nowhere: "*" },
    files: { "package.json": "{}", "index.js": "" },
  },
};

const SOURCES = {
  "package.json":
    '{"dependencies": {"greeting": "^1.0.0", "@onkernel/sdk": "*"}, "devDependencies": {"nowhere": "*"}}',
  "index.ts": `import { greeting } from "greeting";\n${appSource("x").replace('"x"', "greeting")}`,
};

const SETTINGS = ["APP_PACKAGE_REGISTRY", "APP_PACKAGE_INSTALLS", "ALLOW_PRIVATE_ADDRESSES"] as const;
const settings = Object.fromEntries(SETTINGS.map((name) => [name, env[name]]));

let client: Client;
let asked: Request[];
beforeAll(async () => {
  client = await newClient();
});
beforeEach(() => {
  asked = [];
  env.ALLOW_PRIVATE_ADDRESSES = "true";
  env.APP_PACKAGE_REGISTRY = REGISTRY;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    asked.push(request);
    const answer = await answerAsRegistry(REGISTRY, PACKAGES, new URL(request.url).pathname);
    return answer ? new Response(answer.body) : new Response(null, { status: 404, statusText: "Not Found" });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, settings);
});

describe("packages that the zip does not hold", () => {
  it("are fetched, with what they need themselves, and nothing else", async () => {
    const { id, status, status_reason } = await deployed(client, SOURCES);
    expect(status_reason).toBeUndefined();
    expect(status).toBe("running");
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "hello-name" }]);
    expect(asked.map(({ url }) => decodeURIComponent(url.slice(REGISTRY.length + 1))).toSorted()).toEqual([
      "@scope/name",
      "@scope/name.tgz",
      "greeting",
      "greeting.tgz",
    ]);
    const events = await eventsUntil(client, id, isSettled);
    expect(events).toContainEqual(
      expect.objectContaining({ event: "log", message: "Installed greeting@1.2.0, @scope/name@2.0.1" }),
    );
  });

  it("are not fetched where it holds some", async () => {
    const { id } = await deployed(client, {
      ...SOURCES,
      "node_modules/greeting/package.json": '{"name": "greeting"}',
      "node_modules/greeting/index.js": 'exports.greeting = "brought";',
    });
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "brought" }]);
    expect(asked).toEqual([]);
  });

  it("are not fetched where it holds a symlink to one", async () => {
    const sources = {
      ...SOURCES,
      "store/greeting/package.json": '{"name": "greeting"}',
      "store/greeting/index.js": 'exports.greeting = "linked";',
    };
    const entries = Object.entries(sources).map(([name, content]) => ({ name, content }));
    const symlink = { name: "node_modules/greeting", content: "../store/greeting", mode: 0o120777 };
    const answer = await postDeployment(client, deploymentForm(buildZip([...entries, symlink])));
    const { id } = await settled(client, answer.read(deploymentSchema).id);
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "linked" }]);
    expect(asked).toEqual([]);
  });

  it.each([
    ["that the registry does not have", "nowhere", /Failed to install nowhere: .*404/],
    ["that need one which it does not have", "broken", /Failed to install nowhere: .*404/],
  ])("fail the deployment: those %s", async (_, name, reason) => {
    const manifest = JSON.stringify({ dependencies: { [name]: "*" } });
    const { status, status_reason } = await deployed(client, {
      "index.ts": appSource("a"),
      "package.json": manifest,
    });
    expect(status).toBe("failed");
    expect(status_reason).toMatch(reason);
  });

  it("fail it in a version that there is not", async () => {
    const manifest = JSON.stringify({ dependencies: { greeting: "^9.0.0" } });
    const { status_reason } = await deployed(client, {
      "index.ts": appSource("a"),
      "package.json": manifest,
    });
    expect(status_reason).toMatch(/Could not resolve version for greeting@\^9\.0\.0/);
  });

  it("fail it where package.json is no JSON", async () => {
    const { status_reason } = await deployed(client, { "index.ts": appSource("a"), "package.json": "{" });
    expect(status_reason).toMatch(/package\.json is no JSON/);
  });

  it("are asked of nobody where installing is off, and the reason is told", async () => {
    env.APP_PACKAGE_INSTALLS = "false";
    const { status, status_reason } = await deployed(client, SOURCES);
    expect(status).toBe("failed");
    expect(status_reason).toMatch(/index\.ts:1:26: Could not resolve "greeting".*APP_PACKAGE_INSTALLS/s);
    expect(asked).toEqual([]);
  });
});

describe("the gateway to the registry", () => {
  function ask(url: string, init?: RequestInit): Promise<Response> {
    return exports.PackageGateway.fetch(url, init);
  }

  it("gives the registry the operator's credentials, which deployments never see", async () => {
    env.APP_PACKAGE_REGISTRY = "https://me:pass%20word@registry.test:8443/npm/";
    expect(publicRegistry(env.APP_PACKAGE_REGISTRY)).toBe(`${REGISTRY}/npm`);
    await ask(`${REGISTRY}/greeting`);
    expect(asked[0]?.headers.get("authorization")).toBe(`Basic ${btoa("me:pass word")}`);
    expect(asked[0]?.url).toBe(`${REGISTRY}/greeting`);
  });

  it.each([
    ["another host", "https://elsewhere.test/greeting", {}],
    ["another port of it", "https://registry.test/greeting", {}],
    ["it without encryption", "http://registry.test:8443/greeting", {}],
    ["it with another method", `${REGISTRY}/greeting`, { method: "POST", body: "x" }],
  ])("does not reach %s", async (_, url, init) => {
    const response = await ask(url, init);
    expect(response.status).toBe(403);
    expect(asked).toEqual([]);
  });

  it("follows no redirect to another host", async () => {
    vi.mocked(fetch).mockImplementation(async () => Response.redirect("https://elsewhere.test/greeting"));
    const response = await ask(`${REGISTRY}/greeting`);
    expect(response.status).toBe(403);
    expect(response.statusText).toContain("elsewhere.test");
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("reaches no private address unless that is allowed", async () => {
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    env.APP_PACKAGE_REGISTRY = "http://127.0.0.1:4873";
    expect((await ask("http://127.0.0.1:4873/greeting")).status).toBe(403);
    expect(asked).toEqual([]);
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    expect((await ask("http://127.0.0.1:4873/greeting")).status).toBe(200);
  });

  it("reaches no address without encryption where the registry is npm's own", async () => {
    env.APP_PACKAGE_REGISTRY = "";
    expect((await ask("http://elsewhere.test/greeting")).status).toBe(403);
    expect((await ask("https://127.0.0.1/greeting")).status).toBe(200);
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    expect((await ask("https://127.0.0.1/greeting")).status).toBe(403);
  });
});
