import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { appSource, deploy, deployed, eventsUntil } from "./deployments.ts";

const loader = env.LOADER;

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
  env.LOADER = loader;
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
  const { id } = await deploy(client, { "index.ts": appSource("a") });
  await eventsUntil(client, id, () => loaded > 0);
  await client.delete(`/deployments/${id}`);
  await expectEnded(1);
});

it("has a bundler for each deployment", async () => {
  const sources = ["a", "b", "c"].map((name) => ({ "index.ts": appSource(name) }));
  await Promise.all(sources.map((files) => deployed(client, files)));
  await expectEnded(3);
});
