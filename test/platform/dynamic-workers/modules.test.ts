import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";
import { readModule } from "../../../src/platform/dynamic-workers/modules.ts?again";

const { ASSETS } = env;
afterEach(() => {
  env.ASSETS = ASSETS;
});

it("a request that is never answered does not hold later ones up", async () => {
  env.ASSETS = { ...ASSETS, fetch: () => new Promise<Response>(() => undefined), connect: ASSETS.connect };
  void readModule(env, "bundler.js");
  env.ASSETS = ASSETS;
  const object = env.DEPLOYMENT.get(env.DEPLOYMENT.newUniqueId());
  expect(await runInDurableObject(object, () => readModule(env, "bundler.js"))).not.toBe("");
});
