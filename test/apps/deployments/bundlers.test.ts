import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { appSource, deploy, deployAndWait } from "./deployments.ts";
import { watchWorkers } from "./watched-workers.ts";

const { ALLOW_PRIVATE_ADDRESSES, APP_PACKAGE_REGISTRY } = env;
const bundlers = watchWorkers("bundler.js");

let client: Client;
beforeEach(async () => {
  client = await newClient();
});
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, { ALLOW_PRIVATE_ADDRESSES, APP_PACKAGE_REGISTRY });
});

/** Has bundlers wait for packages in vain. @returns what they have asked for. */
function stallRegistry(): string[] {
  const asked: string[] = [];
  Object.assign(env, { ALLOW_PRIVATE_ADDRESSES: "true", APP_PACKAGE_REGISTRY: "https://registry.test" });
  vi.spyOn(globalThis, "fetch").mockImplementation((input) => {
    asked.push(new Request(input).url);
    return new Promise(() => {});
  });
  return asked;
}

it.each([
  ["has bundled an app", appSource("a"), "running"],
  ["has found what is wrong with one", "(((", "failed"],
])("ends a bundler that %s", async (_, source, status) => {
  expect(await deployAndWait(client, { "index.ts": source })).toMatchObject({ status });
  await bundlers.expectEnded(1);
});

it("ends the bundler of a deployment that is stopped meanwhile", async () => {
  const asked = stallRegistry();
  const { id } = await deploy(client, {
    "index.ts": appSource("a"),
    "package.json": '{"dependencies": {"slow": "*"}}',
  });
  await expect.poll(() => asked).toEqual(["https://registry.test/slow"]);
  await client.delete(`/deployments/${id}`);
  await bundlers.expectEnded(1);
});

it("has a bundler for each deployment", async () => {
  const sources = ["a", "b", "c"].map((name) => ({ "index.ts": appSource(name) }));
  await Promise.all(sources.map((files) => deployAndWait(client, files)));
  await bundlers.expectEnded(3);
});
