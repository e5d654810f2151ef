import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { appSource, deploy, deployed } from "./deployments.ts";

const { LOADER: loader, ALLOW_PRIVATE_ADDRESSES, APP_PACKAGE_REGISTRY } = env;

let client: Client;
let loaded: number;
/** How the calls that end bundlers came out: one that ends its Worker has no answer. */
let ends: string[];
beforeEach(async () => {
  client = await newClient();
  loaded = 0;
  ends = [];
  env.LOADER = {
    get: (...parameters) => loader.get(...parameters),
    load: (code) => (code.mainModule === "bundler.js" ? watch(loader.load(code)) : loader.load(code)),
  };
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, { LOADER: loader, ALLOW_PRIVATE_ADDRESSES, APP_PACKAGE_REGISTRY });
});

function watch(worker: WorkerStub): WorkerStub {
  loaded += 1;
  const getEntrypoint = (name: string) => {
    const entrypoint = worker.getEntrypoint(name);
    const fetch: typeof entrypoint.fetch = (...parameters) => {
      const answer = entrypoint.fetch(...parameters);
      if (name === "Retirement") {
        answer.then(
          () => ends.push("an answer"),
          () => ends.push("the end"),
        );
      }
      return answer;
    };
    return { fetch };
  };
  // Nothing else of it is used; above all it is no promise.
  return new Proxy(worker, {
    get: (_, property) => (property === "getEntrypoint" ? getEntrypoint : undefined),
  });
}

/** Has bundlers wait for packages in vain. @returns what they have asked for. */
function holdUpRegistry(): string[] {
  const asked: string[] = [];
  Object.assign(env, { ALLOW_PRIVATE_ADDRESSES: "true", APP_PACKAGE_REGISTRY: "https://registry.test" });
  vi.spyOn(globalThis, "fetch").mockImplementation((input) => {
    asked.push(new Request(input).url);
    return new Promise(() => {});
  });
  return asked;
}

async function expectEnded(bundlers: number): Promise<void> {
  await expect.poll(() => ends).toEqual(Array(bundlers).fill("the end"));
  expect(loaded).toBe(bundlers);
}

it.each([
  ["has bundled an app", appSource("a"), "running"],
  ["has found what is wrong with one", "(((", "failed"],
])("ends a bundler that %s", async (_, source, status) => {
  expect(await deployed(client, { "index.ts": source })).toMatchObject({ status });
  await expectEnded(1);
});

it("ends the bundler of a deployment that is stopped meanwhile", async () => {
  const asked = holdUpRegistry();
  const { id } = await deploy(client, {
    "index.ts": appSource("a"),
    "package.json": '{"dependencies": {"slow": "*"}}',
  });
  await expect.poll(() => asked).toEqual(["https://registry.test/slow"]);
  await client.delete(`/deployments/${id}`);
  await expectEnded(1);
});

it("has a bundler for each deployment", async () => {
  const sources = ["a", "b", "c"].map((name) => ({ "index.ts": appSource(name) }));
  await Promise.all(sources.map((files) => deployed(client, files)));
  await expectEnded(3);
});
