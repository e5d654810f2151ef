import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { useNewClient } from "../../../api.ts";
import { appSource, deploy, deployAndWait } from "./deployments.ts";
import { watchWorkers } from "./watched-workers.ts";

const { ALLOW_PRIVATE_ADDRESSES, APP_PACKAGE_REGISTRY } = env;
const REGISTRY = "https://registry.test";
const bundlers = watchWorkers("bundler.js");

const client = useNewClient();
afterEach(() => {
  vi.restoreAllMocks();
  Object.assign(env, { ALLOW_PRIVATE_ADDRESSES, APP_PACKAGE_REGISTRY });
});

/** Makes the registry never respond. @returns the requested URLs. */
function stallRegistry(): string[] {
  const requested: string[] = [];
  Object.assign(env, { ALLOW_PRIVATE_ADDRESSES: "true", APP_PACKAGE_REGISTRY: REGISTRY });
  const { fetch } = globalThis;
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const { url } = new Request(input);
    // Deliveries of other files are retried meanwhile.
    if (!url.startsWith(REGISTRY)) return fetch(input, init);
    requested.push(url);
    return new Promise(() => {});
  });
  return requested;
}

it.each([
  ["succeeded", appSource("a"), "running"],
  ["failed", "(((", "failed"],
])("terminates a bundler that %s", async (_, source, status) => {
  expect(await deployAndWait(client, { "index.ts": source })).toMatchObject({ status });
  await bundlers.expectTerminated(1);
});

it("terminates the bundler of a deployment that is stopped meanwhile", async () => {
  const requested = stallRegistry();
  const { id } = await deploy(client, {
    "index.ts": appSource("a"),
    "package.json": '{"dependencies": {"slow": "*"}}',
  });
  await expect.poll(() => requested).toEqual([`${REGISTRY}/slow`]);
  await client.delete(`/deployments/${id}`);
  await bundlers.expectTerminated(1);
});

it("uses one bundler per deployment", async () => {
  const sources = ["a", "b", "c"].map((name) => ({ "index.ts": appSource(name) }));
  await Promise.all(sources.map((files) => deployAndWait(client, files)));
  await bundlers.expectTerminated(3);
});
