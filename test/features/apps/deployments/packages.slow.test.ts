import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { publicRegistry } from "../../../../src/features/apps/deployments/package-gateway.ts";
import { deploymentSchema } from "../../../../src/features/apps/deployments/schema.ts";
import { newClient } from "../../../api.ts";
import {
  type RegistryPackage,
  type RegistryPackages,
  respondAsRegistry,
} from "../../../fakes/package-registry.ts";
import { buildZip } from "../../../lib/archives/zip-builder.ts";
import {
  appSource,
  deployAndWait,
  deploymentForm,
  isSettled,
  postDeployment,
  readEventsUntil,
  waitUntilSettled,
} from "./deployments.ts";

const REGISTRY = "https://registry.test:8443";

const PACKAGES: RegistryPackages = {
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

function versionOf(
  version: string,
  expression: string,
  manifest: Omit<RegistryPackage, "version" | "files"> = {},
): RegistryPackage {
  return { version, ...manifest, files: { "index.js": `module.exports = ${expression};` } };
}

/** Versions whose modules export their own name and version. */
function versionsOf(name: string, ...versions: string[]): RegistryPackage[] {
  return versions.map((version) => versionOf(version, JSON.stringify(`${name}@${version}`)));
}

const SOURCES = {
  "package.json":
    '{"dependencies": {"greeting": "^1.0.0", "@onkernel/sdk": "*"}, "devDependencies": {"nowhere": "*"}}',
  "index.ts": `import { greeting } from "greeting";\n${appSource("x").replace('"x"', "greeting")}`,
};

const SETTINGS = ["APP_PACKAGE_REGISTRY", "APP_PACKAGE_INSTALLS", "ALLOW_PRIVATE_ADDRESSES"] as const;
const settings = Object.fromEntries(SETTINGS.map((name) => [name, env[name]]));

const client = await newClient();
let requests: Request[];
let packages: RegistryPackages;
let beforeResponse: (path: string) => Promise<void>;
beforeEach(() => {
  requests = [];
  packages = PACKAGES;
  beforeResponse = async () => {};
  env.ALLOW_PRIVATE_ADDRESSES = "true";
  env.APP_PACKAGE_REGISTRY = REGISTRY;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    requests.push(request);
    const path = decodeURIComponent(new URL(request.url).pathname.slice(1));
    await beforeResponse(path);
    const answer = await respondAsRegistry(REGISTRY, packages, `/${path}`);
    return answer ? new Response(answer.body) : new Response(null, { status: 404, statusText: "Not Found" });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, settings);
});

function requestedPaths(): string[] {
  return requests.map(({ url }) => decodeURIComponent(url.slice(REGISTRY.length + 1))).toSorted();
}

/** Deploys an app that imports packages. @returns their exports, and which were installed. */
async function importsOf(
  manifest: Omit<RegistryPackage, "version" | "files">,
  names: string[],
  files: Record<string, string> = {},
): Promise<{ imports: string[]; installed: string[] }> {
  const imports = names.map((name, index) => `import name${index} from ${JSON.stringify(name)};\n`);
  const list = names.map((_, index) => `name${index}`).join();
  const { id, status_reason } = await deployAndWait(client, {
    "package.json": JSON.stringify(manifest),
    "index.ts": imports.join("") + appSource("x").replace('"x"', `[${list}].flat().join(" ")`),
    ...files,
  });
  expect(status_reason).toBeUndefined();
  const apps = z.array(z.object({ app_name: z.string() }));
  const [app] = (await client.get(`/apps?query=${id}`)).read(apps);
  const events = await readEventsUntil(client, id, isSettled);
  const messages = events.flatMap((event) => (event.event === "log" ? [event.message] : []));
  const installed = messages.flatMap((message) => /^Installed (.*)/.exec(message)?.[1]?.split(", ") ?? []);
  return { imports: app?.app_name.split(" ") ?? [], installed };
}

async function failureOf(manifest: Omit<RegistryPackage, "version" | "files">): Promise<string | undefined> {
  const sources = { "index.ts": appSource("a"), "package.json": JSON.stringify(manifest) };
  const { status, status_reason } = await deployAndWait(client, sources);
  expect(status).toBe("failed");
  return status_reason ?? undefined;
}

describe("packages missing from the zip", () => {
  it("are fetched with their dependencies and nothing else", async () => {
    const { id, status, status_reason } = await deployAndWait(client, SOURCES);
    expect(status_reason).toBeUndefined();
    expect(status).toBe("running");
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "hello-name" }]);
    expect(requestedPaths()).toEqual(["@scope/name", "@scope/name.tgz", "greeting", "greeting.tgz"]);
    const events = await readEventsUntil(client, id, isSettled);
    expect(events).toContainEqual(
      expect.objectContaining({ event: "log", message: "Installed @scope/name@2.0.1, greeting@1.2.0" }),
    );
  });

  it("are not fetched if the zip contains them", async () => {
    const { id } = await deployAndWait(client, {
      ...SOURCES,
      "node_modules/greeting/package.json": '{"name": "greeting"}',
      "node_modules/greeting/index.js": 'exports.greeting = "brought";',
    });
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "brought" }]);
    expect(requests).toEqual([]);
  });

  it("are not fetched if the zip contains a symlink to them", async () => {
    const sources = {
      ...SOURCES,
      "store/greeting/package.json": '{"name": "greeting"}',
      "store/greeting/index.js": 'exports.greeting = "linked";',
    };
    const entries = Object.entries(sources).map(([name, content]) => ({ name, content }));
    const symlink = { name: "node_modules/greeting", content: "../store/greeting", mode: 0o120777 };
    const answer = await postDeployment(client, deploymentForm(buildZip([...entries, symlink])));
    const { id } = await waitUntilSettled(client, answer.read(deploymentSchema).id);
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "linked" }]);
    expect(requests).toEqual([]);
  });

  it.each([
    ["that the registry does not have", "nowhere", /Failed to install nowhere: .*404/],
    ["with a dependency that it does not have", "broken", /Failed to install nowhere: .*404/],
  ])("fail the deployment: packages %s", async (_, name, reason) => {
    expect(await failureOf({ dependencies: { [name]: "*" } })).toMatch(reason);
  });

  it.each([
    ["a wrong integrity", { integrity: `sha512-${btoa("x".repeat(64))}` }, /differs from the registry's/],
    ["a wrong shasum", { shasum: "00".repeat(20) }, /differs from the registry's/],
    [
      "a correct weak hash beside a wrong strong one",
      {
        integrity: `sha1-${btoa("x".repeat(20))} sha512-${btoa("x".repeat(64))}`,
      },
      /differs from the registry's/,
    ],
    ["no checksum", {}, /lists no checksum/],
  ])("fail the deployment if the registry lists %s", async (_, dist, reason) => {
    packages = { odd: { version: "1.0.0", files: { "index.js": "" }, dist } };
    expect(await failureOf({ dependencies: { odd: "*" } })).toMatch(reason);
  });

  it("fail the deployment if one unpacks to too many bytes", async () => {
    packages = { bomb: { version: "1.0.0", files: { "data.json": "0".repeat(49 * 1024 * 1024) } } };
    expect(await failureOf({ dependencies: { bomb: "*" } })).toMatch(/unpacks to more than/);
  });

  it.each(["a?b", "a#b", "a%2fb", "a b"])("fail the deployment for the invalid name %s", async (name) => {
    expect(await failureOf({ dependencies: { [name]: "*" } })).toMatch(/not a valid package name/);
    expect(requests).toEqual([]);
  });

  it("fail the deployment if the version does not exist", async () => {
    const reason = await failureOf({ dependencies: { greeting: "^9.0.0" } });
    expect(reason).toMatch(/Could not resolve version for greeting@\^9\.0\.0/);
  });

  it("fail the deployment if package.json is not JSON", async () => {
    const { status_reason } = await deployAndWait(client, {
      "index.ts": appSource("a"),
      "package.json": "{",
    });
    expect(status_reason).toMatch(/package\.json is not valid JSON/);
  });

  it("fail the deployment without requests if installs are off", async () => {
    env.APP_PACKAGE_INSTALLS = "false";
    const { status, status_reason } = await deployAndWait(client, SOURCES);
    expect(status).toBe("failed");
    expect(status_reason).toMatch(/index\.ts:1:26: Could not resolve "greeting".*APP_PACKAGE_INSTALLS/s);
    expect(requests).toEqual([]);
  });
});

describe("the package tree", () => {
  it("installs aliases under their own names at every level", async () => {
    packages = {
      "@scope/real": versionsOf("real", "1.0.0", "1.5.0", "2.0.0"),
      wrapper: versionOf("1.0.0", 'require("inner")', { dependencies: { inner: "npm:@scope/real@^1.0.0" } }),
    };
    const dependencies = { renamed: "npm:@scope/real@^2.0.0", newest: "npm:@scope/real", wrapper: "*" };
    expect(await importsOf({ dependencies }, ["renamed", "newest", "wrapper"])).toEqual({
      imports: ["real@2.0.0", "real@2.0.0", "real@1.5.0"],
      installed: ["@scope/real@1.5.0", "@scope/real@2.0.0", "wrapper@1.0.0"],
    });
    expect(requestedPaths().filter((path) => path.endsWith("2.0.0.tgz"))).toHaveLength(1);
  });

  it.each([
    ["left", "right"],
    ["right", "left"],
  ])("gives each package its own version when %s arrives before %s", async (first, second) => {
    packages = {
      left: versionOf("1.0.0", 'require("shared")', { dependencies: { shared: "^1.0.0" } }),
      right: versionOf("1.0.0", 'require("shared")', { dependencies: { shared: "^2.0.0" } }),
      shared: versionsOf("shared", "1.0.0", "2.0.0"),
    };
    const firstArrived = Promise.withResolvers<void>();
    beforeResponse = async (path) => {
      if (path === second) await firstArrived.promise;
      if (path === `${first}.tgz`) firstArrived.resolve();
    };
    expect(await importsOf({ dependencies: { right: "*", left: "*" } }, ["left", "right", "shared"])).toEqual(
      {
        imports: ["shared@1.0.0", "shared@2.0.0", "shared@1.0.0"],
        installed: ["left@1.0.0", "right@1.0.0", "shared@1.0.0", "shared@2.0.0"],
      },
    );
  });

  it("shares a version among all ranges that it satisfies", async () => {
    packages = {
      user: versionOf("1.0.0", 'require("shared")', { dependencies: { shared: "^1.0.0" } }),
      shared: versionsOf("shared", "1.0.0", "1.1.0"),
    };
    const { imports } = await importsOf({ dependencies: { user: "*", shared: "1.0.0" } }, ["user", "shared"]);
    expect(imports).toEqual(["shared@1.0.0", "shared@1.0.0"]);
  });

  it("resolves dist-tags", async () => {
    packages = {
      tagged: [
        versionOf("1.0.0", '"tagged@1.0.0"', { tags: ["latest"] }),
        versionOf("2.0.0-beta.1", '"tagged@2.0.0-beta.1"', { tags: ["next"] }),
      ],
      user: versionOf("1.0.0", 'require("tagged")', { dependencies: { tagged: "next" } }),
    };
    const { imports } = await importsOf({ dependencies: { tagged: "latest", user: "" } }, ["tagged", "user"]);
    expect(imports).toEqual(["tagged@1.0.0", "tagged@2.0.0-beta.1"]);
  });

  it("installs missing peers unless they are optional", async () => {
    packages = {
      plugin: versionOf("1.0.0", 'require("host")', {
        peerDependencies: { host: ">=1", nowhere: "*" },
        peerDependenciesMeta: { nowhere: { optional: true } },
      }),
      host: versionsOf("host", "1.0.0", "2.0.0"),
    };
    const { imports } = await importsOf({ dependencies: { plugin: "*" } }, ["plugin"]);
    expect(imports).toEqual(["host@2.0.0"]);
    const shared = await importsOf({ dependencies: { plugin: "*", host: "^1.0.0" } }, ["plugin"]);
    expect(shared).toEqual({ imports: ["host@1.0.0"], installed: ["host@1.0.0", "plugin@1.0.0"] });
  });

  it("prefers a version that also satisfies peer ranges", async () => {
    packages = {
      plugin: versionOf("1.0.0", 'require("host")', {
        peerDependencies: { host: ">=1.1.0 <1.3.0 || ^2.0.0" },
      }),
      host: versionsOf("host", "1.0.0", "1.2.0", "1.4.0", "3.0.0"),
    };
    const withHost = (host: string) => importsOf({ dependencies: { plugin: "*", host } }, ["plugin", "host"]);
    expect((await withHost("^1.0.0")).imports).toEqual(["host@1.2.0", "host@1.2.0"]);
    expect((await withHost("1.4.0")).imports).toEqual(["host@1.4.0", "host@1.4.0"]);
  });

  it("installs optional dependencies that are available and not platform-specific", async () => {
    packages = {
      user: versionOf("1.0.0", '[require("extra"), require("partial")]', {
        dependencies: { extra: "*" },
        optionalDependencies: { extra: "^1.0.0", partial: "*", nowhere: "*", "program-linux-x64": "*" },
      }),
      extra: versionsOf("extra", "1.0.0", "2.0.0"),
      partial: versionOf("1.0.0", '"partial"', { dependencies: { nowhere: "*" } }),
    };
    expect(await importsOf({ dependencies: { user: "*" } }, ["user"])).toEqual({
      imports: ["extra@1.0.0", "partial"],
      installed: ["extra@1.0.0", "partial@1.0.0", "user@1.0.0"],
    });
    expect(requestedPaths()).not.toContain("program-linux-x64");
  });

  it("places a package beside the peers that it shares with its dependent", async () => {
    packages = {
      dependent: versionOf("1.0.0", '[require("host"), require("plugin")]', {
        dependencies: { host: "^2.0.0", plugin: "*" },
      }),
      plugin: versionOf("1.0.0", 'require("host")', { peerDependencies: { host: ">=2" } }),
      host: versionsOf("host", "1.0.0", "2.0.0", "3.0.0"),
    };
    const { imports } = await importsOf({ dependencies: { dependent: "*", host: "^1.0.0" } }, [
      "host",
      "dependent",
    ]);
    expect(imports).toEqual(["host@1.0.0", "host@2.0.0", "host@2.0.0"]);
  });

  it("does not install what the service or the zip provides, at any depth", async () => {
    packages = {
      driver: versionOf("1.0.0", '[typeof require("playwright-core").chromium, require("brought")]', {
        dependencies: { "playwright-core": "^1.0.0", brought: "^1.0.0" },
      }),
    };
    const { imports } = await importsOf({ dependencies: { driver: "*" } }, ["driver"], {
      "node_modules/brought/package.json": "{}",
      "node_modules/brought/index.js": 'module.exports = "brought";',
    });
    expect(imports).toEqual(["object", "brought"]);
    expect(requestedPaths()).toEqual(["driver", "driver.tgz"]);
  });

  it("names the package whose dependency cannot be resolved", async () => {
    packages = {
      user: versionOf("1.2.3", "0", { dependencies: { shared: "^9.0.0" } }),
      shared: versionsOf("shared", "1.0.0"),
    };
    expect(await failureOf({ dependencies: { user: "*" } })).toContain(
      "user@1.2.3 needs shared@^9.0.0: Could not resolve version",
    );
    expect(await failureOf({ dependencies: { other: "npm:shared@^8.0.0" } })).toContain(
      "package.json needs shared@^8.0.0: Could not resolve version",
    );
    expect(await failureOf({ dependencies: { "../user": "*" } })).toContain(
      "package.json needs ../user@*: This is not a valid package name",
    );
  });

  it("limits the number of packages", async () => {
    packages = {
      endless: [
        versionOf("1.0.0", "1", { dependencies: { endless: "2.0.0" } }),
        versionOf("2.0.0", "2", { dependencies: { endless: "1.0.0" } }),
      ],
    };
    expect(await failureOf({ dependencies: { endless: "1.0.0" } })).toContain("more than 1000 packages");
  });
});

describe("the package gateway", () => {
  function fetchFromGateway(url: string, init?: RequestInit): Promise<Response> {
    return exports.PackageGateway.fetch(url, init);
  }

  it("adds the credentials of the registry, which deployments never see", async () => {
    env.APP_PACKAGE_REGISTRY = "https://me:pass%20word@registry.test:8443/npm/";
    expect(publicRegistry(env.APP_PACKAGE_REGISTRY)).toBe(`${REGISTRY}/npm`);
    await fetchFromGateway(`${REGISTRY}/greeting`);
    expect(requests[0]?.headers.get("authorization")).toBe(`Basic ${btoa("me:pass word")}`);
    expect(requests[0]?.url).toBe(`${REGISTRY}/greeting`);
  });

  it.each([
    ["another host", "https://elsewhere.test/greeting", {}],
    ["another port of the registry", "https://registry.test/greeting", {}],
    ["the registry over HTTP", "http://registry.test:8443/greeting", {}],
    ["the registry with POST", `${REGISTRY}/greeting`, { method: "POST", body: "x" }],
  ])("does not reach %s", async (_, url, init) => {
    const response = await fetchFromGateway(url, init);
    expect(response.status).toBe(403);
    expect(requests).toEqual([]);
  });

  it("does not follow redirects to another host", async () => {
    vi.mocked(fetch).mockImplementation(async () => Response.redirect("https://elsewhere.test/greeting"));
    const response = await fetchFromGateway(`${REGISTRY}/greeting`);
    expect(response.status).toBe(403);
    expect(response.statusText).toContain("elsewhere.test");
    expect(fetch).toHaveBeenCalledTimes(1);
  });

  it("reaches private addresses only if allowed", async () => {
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    env.APP_PACKAGE_REGISTRY = "http://127.0.0.1:4873";
    expect((await fetchFromGateway("http://127.0.0.1:4873/greeting")).status).toBe(403);
    expect(requests).toEqual([]);
    env.ALLOW_PRIVATE_ADDRESSES = "true";
    expect((await fetchFromGateway("http://127.0.0.1:4873/greeting")).status).toBe(200);
  });

  it("requires HTTPS with the default registry", async () => {
    env.APP_PACKAGE_REGISTRY = "";
    expect((await fetchFromGateway("http://elsewhere.test/greeting")).status).toBe(403);
    expect((await fetchFromGateway("https://127.0.0.1/greeting")).status).toBe(200);
    env.ALLOW_PRIVATE_ADDRESSES = "false";
    expect((await fetchFromGateway("https://127.0.0.1/greeting")).status).toBe(403);
  });
});
