import { beforeEach, expect, it } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { appSource, deploy, deployed, eventsUntil } from "./deployments.ts";
import { watchWorkers } from "./watched-workers.ts";

const bundlers = watchWorkers("bundler.js");

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

it.each([
  ["has bundled an app", appSource("a"), "running"],
  ["has found what is wrong with one", "(((", "failed"],
])("ends a bundler that %s", async (_, source, status) => {
  expect(await deployed(client, { "index.ts": source })).toMatchObject({ status });
  await bundlers.expectEnded(1);
});

it("ends the bundler of a deployment that is stopped meanwhile", async () => {
  const { id } = await deploy(client, { "index.ts": appSource("a") });
  await eventsUntil(client, id, () => bundlers.loaded > 0);
  await client.delete(`/deployments/${id}`);
  await bundlers.expectEnded(1);
});

it("has a bundler for each deployment", async () => {
  const sources = ["a", "b", "c"].map((name) => ({ "index.ts": appSource(name) }));
  await Promise.all(sources.map((files) => deployed(client, files)));
  await bundlers.expectEnded(3);
});
