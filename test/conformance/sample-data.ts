import { createHash } from "node:crypto";
import type Kernel from "@onkernel/sdk";
import { toFile } from "@onkernel/sdk";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { z } from "zod";
import { buildZip } from "../lib/archives/zip-builder.ts";
import { deployApp, invoke } from "./apps.ts";
import { connectPage } from "./connect-page.ts";
import type { ServiceClient } from "./service-client.ts";
import { expectedStorage, readStorage, writeStorage } from "./site-storage.ts";

const STORED_VALUE = "7";

/** A site that exists only in the pages of {@link withPage}. */
const SITE = "http://sample.test/";

/** More than D1 takes in one statement, with both a line break and an escaped one. */
const LONG_TEXT = `line\n\\n'quoted' ${"ü".repeat(40_000)}`;

/** More than 64 KiB, which is kept in R2. */
const LARGE_PAYLOAD = { text: LONG_TEXT };

const EXTENSION = { "manifest.json": JSON.stringify({ manifest_version: 3, name: "sample", version: "1" }) };

const webhooksSchema = z.array(z.object({ id: z.string(), url: z.string() }));

/** Data of every kind that outlives a session, in an organization of its own. */
export interface Sample {
  apiKey: string;
  app: { name: string; version: string; deploymentId: string };
  profileId: string;
  extensionId: string;
  replay: { id: string; sessionId: string };
  /** It runs when the sample is complete. */
  livingSessionId: string;
}

export async function createSample(service: ServiceClient): Promise<Sample> {
  const { apiKey } = await service.createOrganization();
  const kernel = service.kernel({ apiKey });
  const profile = await kernel.profiles.create({ name: "sample" });
  await storeInProfile(kernel, profile.id);
  const zip = buildZip(Object.entries(EXTENSION).map(([name, content]) => ({ name, content })));
  const extension = await kernel.extensions.upload({ file: await toFile(zip, "sample.zip"), name: "sample" });
  await kernel.proxies.create({
    type: "custom",
    protocol: "http",
    name: "sample",
    config: { host: "proxy.example.com", port: 9, username: "user", password: "secret-password" },
  });
  const app = await deployApp(kernel, 'app.action("echo", async (_: KernelContext, value) => value);', {
    envVars: { MOOD: "calm" },
  });
  await invoke(kernel, app, "echo", { payload: { text: "short" } });
  await invoke(kernel, app, "echo", { payload: LARGE_PAYLOAD });
  const replay = await record(kernel);
  await kernel.browserPools.create({ name: "sample", size: 1 });
  const hook = { url: "https://example.com/hook", event_types: ["session.created"] };
  const hooked = await service.send("POST", "/org/webhooks", hook, apiKey);
  if (!hooked.ok) throw new Error(`No webhook was created: ${hooked.status} ${await hooked.text()}`);
  const living = await kernel.browsers.create({ name: "living", timeout_seconds: 3600 });
  return {
    apiKey,
    app,
    profileId: profile.id,
    extensionId: extension.id,
    replay,
    livingSessionId: living.session_id,
  };
}

/** Reads a whole sample through the API, except for what changes by itself. */
export async function readSample(service: ServiceClient, sample: Sample): Promise<object> {
  const kernel = service.kernel({ apiKey: sample.apiKey });
  const { replay, extensionId, profileId, app } = sample;
  const webhooks = await service.send("GET", "/org/webhooks", undefined, sample.apiKey);
  const invocations = await Array.fromAsync(kernel.invocations.list());
  const proxies = await Array.fromAsync(kernel.proxies.list());
  const pools = await Array.fromAsync(kernel.browserPools.list());
  const profile = await kernel.profiles.retrieve(profileId);
  return {
    profile: [profile.name, profile.created_at],
    profileContent: await digest(kernel.profiles.download(profileId)),
    extension: (await kernel.extensions.get(extensionId)).checksum,
    extensionContent: await digest(kernel.extensions.download(extensionId)),
    proxies: proxies.map(({ id, name, config }) => ({ id, name, config })),
    deployment: (await kernel.deployments.retrieve(app.deploymentId)).status,
    apps: await Array.fromAsync(kernel.apps.list()),
    invocations: await Promise.all(invocations.map(({ id }) => readInvocation(kernel, id))),
    replay: await digest(kernel.browsers.replays.download(replay.id, { id: replay.sessionId })),
    pools: pools.map(({ id, name, browser_pool_config }) => ({ id, name, browser_pool_config })),
    webhooks: webhooksSchema.parse(await webhooks.json()),
    ended: (await kernel.browsers.retrieve(replay.sessionId, { include_deleted: true })).deleted_at,
  };
}

/** Uses everything of a sample, as its owner would. */
export async function driveSample(service: ServiceClient, sample: Sample): Promise<void> {
  const kernel = service.kernel({ apiKey: sample.apiKey });
  const { profileId, app, extensionId } = sample;
  expect(await readFromProfile(kernel, profileId)).toEqual(expectedStorage(STORED_VALUE));
  const extended = await kernel.browsers.create({ extensions: [{ id: extensionId }] });
  await kernel.browsers.deleteByID(extended.session_id);
  const again = await invoke(kernel, app, "echo", { payload: LARGE_PAYLOAD });
  expect(JSON.parse(again.output ?? "null")).toEqual(LARGE_PAYLOAD);
  await kernel.browserPools.update("sample", { size: 2 });
  expect((await kernel.browserPools.retrieve("sample")).browser_pool_config.size).toBe(2);
}

/** Leases a browser of the sample's pool. An upgraded service's pool may have to wait for its fill rate. */
export async function leaseFromPool(service: ServiceClient, { apiKey }: Sample): Promise<void> {
  const { browserPools } = service.kernel({ apiKey });
  const { session_id } = await browserPools.acquire("sample", { acquire_timeout_seconds: 60 });
  await browserPools.release("sample", { session_id, reuse: false });
}

async function storeInProfile(kernel: Kernel, id: string): Promise<void> {
  await withPage(kernel, { profile: { id, save_changes: true } }, async (page) => {
    await writeStorage(page, STORED_VALUE);
  });
}

function readFromProfile(kernel: Kernel, id: string) {
  return withPage(kernel, { profile: { id } }, async (page) => {
    return page.evaluate(readStorage);
  });
}

async function record(kernel: Kernel): Promise<Sample["replay"]> {
  const session = await kernel.browsers.create({ timeout_seconds: 300 });
  const { replay_id } = await kernel.browsers.replays.start(session.session_id);
  await visit(session.cdp_ws_url, (page) => page.title());
  await kernel.browsers.replays.stop(replay_id, { id: session.session_id });
  await kernel.browsers.deleteByID(session.session_id);
  return { id: replay_id, sessionId: session.session_id };
}

async function withPage<T>(
  kernel: Kernel,
  options: Parameters<Kernel["browsers"]["create"]>[0],
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const session = await kernel.browsers.create({ timeout_seconds: 300, ...options });
  const result = await visit(session.cdp_ws_url, work);
  await kernel.browsers.deleteByID(session.session_id);
  return result;
}

/** Works with a page of the site. */
async function visit<T>(endpoint: string, work: (page: Page) => Promise<T>): Promise<T> {
  const { browser, page } = await connectPage({ cdp_ws_url: endpoint });
  await page.route(`${SITE}**`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<h1>Sample</h1>" }),
  );
  await page.goto(SITE);
  const result = await work(page);
  await browser.close();
  return result;
}

async function readInvocation(kernel: Kernel, id: string) {
  const { status, payload = "", output = "" } = await kernel.invocations.retrieve(id);
  return { id, status, payload: hash(Buffer.from(payload)), output: hash(Buffer.from(output)) };
}

async function digest(download: PromiseLike<Response>): Promise<string> {
  return hash(new Uint8Array(await (await download).arrayBuffer()));
}

function hash(bytes: Uint8Array): string {
  return `${bytes.length} ${createHash("sha256").update(bytes).digest("hex")}`;
}
