import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";

const { ASSETS } = env;
afterEach(() => {
  env.ASSETS = ASSETS;
});

it("a request that is never answered does not hold later ones up", async () => {
  // With an empty cache.
  vi.resetModules();
  const { readModule } = await import("../../../src/platform/dynamic-workers/modules.ts");
  env.ASSETS = { ...ASSETS, fetch: () => new Promise<Response>(() => undefined), connect: ASSETS.connect };
  void readModule(env, "bundler.js");
  env.ASSETS = ASSETS;
  const object = env.DEPLOYMENT.get(env.DEPLOYMENT.newUniqueId());
  expect(await runInDurableObject(object, () => readModule(env, "bundler.js"))).not.toBe("");
});
