import { env, exports } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { publicRegistry } from "../../../src/apps/deployments/package-gateway.ts";
import { deploymentSchema } from "../../../src/apps/deployments/schema.ts";
import { type Client, newClient } from "../../api.ts";
import { buildZip } from "../../archives/zip-builder.ts";
import {
  answerAsRegistry,
  type RegistryPackage,
  type RegistryPackages,
} from "../../fakes/package-registry.ts";
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

/** A version whose module is what an expression gives. */
function versionOf(
  version: string,
  expression: string,
  needs: Omit<RegistryPackage, "version" | "files"> = {},
): RegistryPackage {
  return { version, ...needs, files: { "index.js": `module.exports = ${expression};` } };
}

/** Versions whose modules tell which they are. */
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

let client: Client;
let asked: Request[];
/** What the registry has. */
let packages: RegistryPackages;
/** What an answer waits for. */
let beforeAnswer: (path: string) => Promise<void>;
beforeAll(async () => {
  client = await newClient();
});
beforeEach(() => {
  asked = [];
  packages = PACKAGES;
  beforeAnswer = async () => {};
  env.ALLOW_PRIVATE_ADDRESSES = "true";
  env.APP_PACKAGE_REGISTRY = REGISTRY;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    asked.push(request);
    const path = decodeURIComponent(new URL(request.url).pathname.slice(1));
    await beforeAnswer(path);
    const answer = await answerAsRegistry(REGISTRY, packages, `/${path}`);
    return answer ? new Response(answer.body) : new Response(null, { status: 404, statusText: "Not Found" });
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, settings);
});

function pathsAsked(): string[] {
  return asked.map(({ url }) => decodeURIComponent(url.slice(REGISTRY.length + 1))).toSorted();
}

/** What the packages of an app export, and what was installed of them. */
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

/** Why an app that needs this is not deployed. */
async function failureOf(manifest: Omit<RegistryPackage, "version" | "files">): Promise<string | undefined> {
  const sources = { "index.ts": appSource("a"), "package.json": JSON.stringify(manifest) };
  const { status, status_reason } = await deployAndWait(client, sources);
  expect(status).toBe("failed");
  return status_reason ?? undefined;
}

describe("packages that the zip does not hold", () => {
  it("are fetched, with what they need themselves, and nothing else", async () => {
    const { id, status, status_reason } = await deployAndWait(client, SOURCES);
    expect(status_reason).toBeUndefined();
    expect(status).toBe("running");
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "hello-name" }]);
    expect(pathsAsked()).toEqual(["@scope/name", "@scope/name.tgz", "greeting", "greeting.tgz"]);
    const events = await readEventsUntil(client, id, isSettled);
    expect(events).toContainEqual(
      expect.objectContaining({ event: "log", message: "Installed @scope/name@2.0.1, greeting@1.2.0" }),
    );
  });

  it("are not fetched where it holds some", async () => {
    const { id } = await deployAndWait(client, {
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
    const { id } = await waitUntilSettled(client, answer.read(deploymentSchema).id);
    expect((await client.get(`/apps?query=${id}`)).json).toMatchObject([{ app_name: "linked" }]);
    expect(asked).toEqual([]);
  });

  it.each([
    ["that the registry does not have", "nowhere", /Failed to install nowhere: .*404/],
    ["that need one which it does not have", "broken", /Failed to install nowhere: .*404/],
  ])("fail the deployment: those %s", async (_, name, reason) => {
    const manifest = JSON.stringify({ dependencies: { [name]: "*" } });
    const { status, status_reason } = await deployAndWait(client, {
      "index.ts": appSource("a"),
      "package.json": manifest,
    });
    expect(status).toBe("failed");
    expect(status_reason).toMatch(reason);
  });

  it.each([
    ["another integrity", { integrity: `sha512-${btoa("x".repeat(64))}` }, /differs from the registry's/],
    ["another shasum", { shasum: "00".repeat(20) }, /differs from the registry's/],
    [
      "a weak hash that is right beside a strong one that is not",
      {
        integrity: `sha1-${btoa("x".repeat(20))} sha512-${btoa("x".repeat(64))}`,
      },
      /differs from the registry's/,
    ],
    ["no checksum", {}, /lists no checksum/],
  ])("fail it where the registry tells %s", async (_, dist, reason) => {
    packages = { odd: { version: "1.0.0", files: { "index.js": "" }, dist } };
    expect(await failureOf({ dependencies: { odd: "*" } })).toMatch(reason);
  });

  it("fail it where one unpacks to too much", async () => {
    packages = { bomb: { version: "1.0.0", files: { "data.json": "0".repeat(49 * 1024 * 1024) } } };
    expect(await failureOf({ dependencies: { bomb: "*" } })).toMatch(/unpacks to more than/);
  });

  it.each(["a?b", "a#b", "a%2fb", "a b"])(
    "fail it where a name would be another address: %s",
    async (name) => {
      expect(await failureOf({ dependencies: { [name]: "*" } })).toMatch(/not a valid package name/);
      expect(asked).toEqual([]);
    },
  );

  it("fail it in a version that there is not", async () => {
    const manifest = JSON.stringify({ dependencies: { greeting: "^9.0.0" } });
    const { status_reason } = await deployAndWait(client, {
      "index.ts": appSource("a"),
      "package.json": manifest,
    });
    expect(status_reason).toMatch(/Could not resolve version for greeting@\^9\.0\.0/);
  });

  it("fail it where package.json is no JSON", async () => {
    const { status_reason } = await deployAndWait(client, {
      "index.ts": appSource("a"),
      "package.json": "{",
    });
    expect(status_reason).toMatch(/package\.json is not valid JSON/);
  });

  it("are asked of nobody where installing is off, and the reason is told", async () => {
    env.APP_PACKAGE_INSTALLS = "false";
    const { status, status_reason } = await deployAndWait(client, SOURCES);
    expect(status).toBe("failed");
    expect(status_reason).toMatch(/index\.ts:1:26: Could not resolve "greeting".*APP_PACKAGE_INSTALLS/s);
    expect(asked).toEqual([]);
  });
});

describe("the tree of packages", () => {
  it("has aliases under their own names, at the top and below", async () => {
    packages = {
      "@scope/real": versionsOf("real", "1.0.0", "1.5.0", "2.0.0"),
      wrapper: versionOf("1.0.0", 'require("inner")', { dependencies: { inner: "npm:@scope/real@^1.0.0" } }),
    };
    const dependencies = { renamed: "npm:@scope/real@^2.0.0", newest: "npm:@scope/real", wrapper: "*" };
    expect(await importsOf({ dependencies }, ["renamed", "newest", "wrapper"])).toEqual({
      imports: ["real@2.0.0", "real@2.0.0", "real@1.5.0"],
      installed: ["@scope/real@1.5.0", "@scope/real@2.0.0", "wrapper@1.0.0"],
    });
    expect(pathsAsked().filter((path) => path.endsWith("2.0.0.tgz"))).toHaveLength(1);
  });

  it.each([
    ["left", "right"],
    ["right", "left"],
  ])("gives each package its own version, also when %s is there before %s", async (first, second) => {
    packages = {
      left: versionOf("1.0.0", 'require("shared")', { dependencies: { shared: "^1.0.0" } }),
      right: versionOf("1.0.0", 'require("shared")', { dependencies: { shared: "^2.0.0" } }),
      shared: versionsOf("shared", "1.0.0", "2.0.0"),
    };
    const firstIsThere = Promise.withResolvers<void>();
    beforeAnswer = async (path) => {
      if (path === second) await firstIsThere.promise;
      if (path === `${first}.tgz`) firstIsThere.resolve();
    };
    expect(await importsOf({ dependencies: { right: "*", left: "*" } }, ["left", "right", "shared"])).toEqual(
      {
        imports: ["shared@1.0.0", "shared@2.0.0", "shared@1.0.0"],
        installed: ["left@1.0.0", "right@1.0.0", "shared@1.0.0", "shared@2.0.0"],
      },
    );
  });

  it("has one version for all whose ranges it is in", async () => {
    packages = {
      user: versionOf("1.0.0", 'require("shared")', { dependencies: { shared: "^1.0.0" } }),
      shared: versionsOf("shared", "1.0.0", "1.1.0"),
    };
    const { imports } = await importsOf({ dependencies: { user: "*", shared: "1.0.0" } }, ["user", "shared"]);
    expect(imports).toEqual(["shared@1.0.0", "shared@1.0.0"]);
  });

  it("goes by the registry's tags", async () => {
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

  it("has the peers that nothing else brings, unless they are optional", async () => {
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

  it("has a version for all that suits their peers too, where there is one", async () => {
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

  it("has what packages can do without, where it is to be had and not for one platform alone", async () => {
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
    expect(pathsAsked()).not.toContain("program-linux-x64");
  });

  it("has a package beside the peers that it shares with the one that asks for it", async () => {
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

  it("has nothing that the service or the zip provides, however deep it is asked for", async () => {
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
    expect(pathsAsked()).toEqual(["driver", "driver.tgz"]);
  });

  it("fails with the name of the package that asks for what there is not", async () => {
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

  it("has an end", async () => {
    packages = {
      endless: [
        versionOf("1.0.0", "1", { dependencies: { endless: "2.0.0" } }),
        versionOf("2.0.0", "2", { dependencies: { endless: "1.0.0" } }),
      ],
    };
    expect(await failureOf({ dependencies: { endless: "1.0.0" } })).toContain("more than 1000 packages");
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
