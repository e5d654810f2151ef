import type Kernel from "@onkernel/sdk";
import { BadRequestError, ConflictError, NotFoundError } from "@onkernel/sdk";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { findBrowserPid, isBrowserRunning } from "./browser-process.ts";
import { errorOf } from "./error-of.ts";
import { waitForAvailable } from "./pool-state.ts";
import { SharedService } from "./shared-service.ts";

const LAUNCH_TIMEOUT_MS = 60_000;

/** Settings of a pool that launches no browsers. */
const PAUSED = { fill_rate_per_minute: 0 };

const errorSchema = z.object({ details: z.array(z.object({ message: z.string() })) });

const service = await SharedService.use();

/** @returns a client of a new organization. */
async function newOrganizationClient(): Promise<Kernel> {
  return service.kernel(await service.createOrganization());
}

/** Expects a 400 that reports this field only. */
async function expectInvalidField(request: PromiseLike<unknown>, field: string): Promise<void> {
  const error = await errorOf(request);
  expect(error).toBeInstanceOf(BadRequestError);
  const { details } = errorSchema.parse(error.error);
  expect(details.map(({ message }) => message)).toEqual([expect.stringMatching(`^${field}\\b`)]);
}

async function deletePools(kernel: Kernel): Promise<void> {
  for (const { id } of await Array.fromAsync(kernel.browserPools.list())) {
    await kernel.browserPools.delete(id, { force: true });
  }
}

describe("pool configuration", () => {
  test("has the documented shape and defaults by id and by name", async () => {
    const kernel = await newOrganizationClient();
    const created = await kernel.browserPools.create({ size: 1, name: "defaults" });
    expect(created).toEqual({
      id: expect.stringMatching(/^[a-z0-9]{24}$/),
      name: "defaults",
      created_at: expect.any(String),
      available_count: 0,
      acquired_count: 0,
      browser_pool_config: {
        size: 1,
        name: "defaults",
        fill_rate_per_minute: 10,
        timeout_seconds: 600,
        headless: false,
        stealth: false,
        kiosk_mode: false,
        viewport: { width: 1920, height: 1080, refresh_rate: 25 },
        extensions: [],
        telemetry: null,
        record: false,
        machine: "simulated",
      },
      extension_ids: [],
    });
    expect(Math.abs(Date.parse(created.created_at) - Date.now())).toBeLessThan(60_000);
    await waitForAvailable(kernel, created.id, 1);
    for (const idOrName of [created.id, "defaults"]) {
      expect(await kernel.browserPools.retrieve(idOrName)).toEqual({ ...created, available_count: 1 });
    }
    await deletePools(kernel);
  });

  test("returns what the pool was created with", async () => {
    const kernel = await newOrganizationClient();
    const config = {
      size: 7,
      ...PAUSED,
      timeout_seconds: 86_400,
      headless: true,
      stealth: true,
      kiosk_mode: true,
      viewport: { width: 1024, height: 768 },
      start_url: "https://example.com/",
    };
    // Empty references count as absent.
    const created = await kernel.browserPools.create({ ...config, proxy_id: "", extensions: [] });
    expect(created.name).toBeUndefined();
    expect(created.profile_id).toBeUndefined();
    expect(created.browser_pool_config).toEqual({
      ...config,
      viewport: { width: 1024, height: 768, refresh_rate: 60 },
      extensions: [],
      telemetry: null,
      record: false,
      machine: "simulated",
    });
    expect(await kernel.browserPools.retrieve(created.id)).toEqual(created);
  });

  test("rejects invalid fields by name", async () => {
    const kernel = await newOrganizationClient();
    const create = (rest: Partial<Kernel.BrowserPoolCreateParams>) =>
      kernel.browserPools.create({ size: 1, ...PAUSED, ...rest });
    await expectInvalidField(create({ size: 0 }), "size");
    await expectInvalidField(create({ size: 1.5 }), "size");
    await expectInvalidField(create({ fill_rate_per_minute: 26 }), "fill_rate_per_minute");
    await expectInvalidField(create({ fill_rate_per_minute: -1 }), "fill_rate_per_minute");
    await expectInvalidField(create({ timeout_seconds: 59 }), "timeout_seconds");
    await expectInvalidField(create({ timeout_seconds: 86_401 }), "timeout_seconds");
    await expectInvalidField(create({ viewport: { width: 800, height: 600 } }), "viewport");
    await expectInvalidField(create({ profile: { name: "nobody" } }), "profile");
    await expectInvalidField(create({ proxy_id: "none" }), "proxy_id");
    await expectInvalidField(create({ extensions: [{ name: "none" }] }), "extensions");
    expect(await Array.fromAsync(kernel.browserPools.list())).toEqual([]);
  });

  test("is changed by PATCH, except for absent fields", async () => {
    const kernel = await newOrganizationClient();
    const { id } = await kernel.browserPools.create({
      size: 2,
      ...PAUSED,
      name: "before",
      start_url: "https://example.com/",
      stealth: true,
    });
    const changed = await kernel.browserPools.update(id, {
      size: 3,
      name: "after",
      timeout_seconds: 60,
      headless: true,
      viewport: { width: 1440, height: 900 },
    });
    expect(changed).toMatchObject({
      id,
      name: "after",
      browser_pool_config: {
        size: 3,
        name: "after",
        fill_rate_per_minute: 0,
        timeout_seconds: 60,
        headless: true,
        stealth: true,
        kiosk_mode: false,
        viewport: { width: 1440, height: 900, refresh_rate: 25 },
        start_url: "https://example.com/",
      },
    });
    expect(changed.browser_pool_config).not.toHaveProperty("discard_all_idle");
    expect(await kernel.browserPools.retrieve("after")).toEqual(changed);
    await expect(kernel.browserPools.retrieve("before")).rejects.toThrow(NotFoundError);

    const cleared = await kernel.browserPools.update("after", {
      size: 3,
      name: "",
      start_url: "",
      proxy_id: "",
      extensions: [],
      profile: { id: "" },
    });
    expect(cleared.name).toBe("after");
    expect(cleared.browser_pool_config).not.toHaveProperty("start_url");
  });

  test("is unchanged by a PATCH without a size or with invalid fields", async () => {
    const kernel = await newOrganizationClient();
    const created = await kernel.browserPools.create({ size: 2, ...PAUSED, name: "unchanged" });
    const update = (body: Kernel.BrowserPoolUpdateParams) => kernel.browserPools.update(created.id, body);
    await expectInvalidField(update({ name: "other" }), "size");
    await expectInvalidField(update({ size: 0 }), "size");
    await expectInvalidField(update({ size: 2, fill_rate_per_minute: 26 }), "fill_rate_per_minute");
    await expectInvalidField(update({ size: 2, timeout_seconds: 59 }), "timeout_seconds");
    await expectInvalidField(update({ size: 2, viewport: { width: 1, height: 1 } }), "viewport");
    await expectInvalidField(update({ size: 2, profile: { id: "none" } }), "profile");
    await expectInvalidField(update({ size: 2, proxy_id: "none" }), "proxy_id");
    expect(await kernel.browserPools.retrieve(created.id)).toEqual(created);
  });
});

describe("pool list", () => {
  test("is a JSON array, newest first, with optional pages and filters", async () => {
    const organization = await service.createOrganization();
    const kernel = service.kernel(organization);
    const newestFirst: string[] = [];
    for (const name of ["one", "two", "three", "four", "five"]) {
      newestFirst.unshift((await kernel.browserPools.create({ size: 1, ...PAUSED, name })).id);
    }
    const response = await service.send("GET", "/browser_pools", undefined, organization.apiKey);
    const idsSchema = z.array(z.object({ id: z.string() }));
    expect(idsSchema.parse(await response.json()).map(({ id }) => id)).toEqual(newestFirst);

    const listed = await Array.fromAsync(kernel.browserPools.list());
    expect(listed.map(({ id }) => id)).toEqual(newestFirst);
    expect(listed[0]).toEqual(await kernel.browserPools.retrieve("five"));

    const pages: string[][] = [];
    for await (const page of (await kernel.browserPools.list({ limit: 2 })).iterPages()) {
      pages.push(page.getPaginatedItems().map(({ id }) => id));
    }
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(newestFirst);
    const [second] = await Array.fromAsync(kernel.browserPools.list({ limit: 1, offset: 1 }));
    expect(second?.id).toBe(newestFirst[1]);

    const findNames = async (query: Kernel.BrowserPoolListParams) =>
      (await Array.fromAsync(kernel.browserPools.list(query))).map(({ name }) => name);
    expect(await findNames({ name: "two" })).toEqual(["two"]);
    expect(await findNames({ query: "O" })).toEqual(["four", "two", "one"]);
    expect(await findNames({ query: newestFirst[4] })).toEqual(["one"]);
    expect(await findNames({ query: "six" })).toEqual([]);
    expect(await Array.fromAsync((await newOrganizationClient()).browserPools.list())).toEqual([]);
  });
});

describe("pool name", () => {
  test("is unique within an organization until its pool is deleted", async () => {
    const kernel = await newOrganizationClient();
    const first = await kernel.browserPools.create({ size: 1, ...PAUSED, name: "only-one" });
    const second = await kernel.browserPools.create({ size: 1, ...PAUSED, name: "another" });
    const errors = [
      await errorOf(kernel.browserPools.create({ size: 1, ...PAUSED, name: "only-one" })),
      await errorOf(kernel.browserPools.update(second.id, { size: 1, name: "only-one" })),
    ];
    for (const error of errors) {
      expect(error).toBeInstanceOf(ConflictError);
      expect(error.error).toMatchObject({ code: "conflict" });
      expect(error.headers?.get("x-should-retry")).toBe("false");
    }
    await (await newOrganizationClient()).browserPools.create({ size: 1, ...PAUSED, name: "only-one" });
    await kernel.browserPools.delete(first.id);
    await kernel.browserPools.update(second.id, { size: 1, name: "only-one" });
  });

  test("goes to one of several pools created concurrently", async () => {
    const kernel = await newOrganizationClient();
    const created = await Promise.allSettled(
      Array.from({ length: 5 }, () => kernel.browserPools.create({ size: 1, ...PAUSED, name: "raced" })),
    );
    const failures = created.filter((each) => each.status === "rejected").map(({ reason }) => reason);
    expect(failures).toHaveLength(4);
    for (const reason of failures) expect(reason).toBeInstanceOf(ConflictError);
    expect(await Array.fromAsync(kernel.browserPools.list())).toHaveLength(1);
  });
});

test("an organization's limit applies to the sum of its pool sizes", async () => {
  const organization = await service.createOrganization();
  const path = `/admin/organizations/${organization.id}`;
  await service.send("PATCH", path, { max_pooled_sessions: 5 }, service.adminToken);
  const kernel = service.kernel(organization);
  expect(await kernel.organization.limits.retrieve()).toMatchObject({ max_pooled_sessions: 5 });
  const create = (size: number) => kernel.browserPools.create({ size, ...PAUSED });
  await expectInvalidField(create(6), "size");
  const first = await create(3);
  await expectInvalidField(create(3), "size");
  await expectInvalidField(kernel.browserPools.update(first.id, { size: 6 }), "size");
  const raced = await Promise.allSettled([create(2), create(2), create(2)]);
  expect(raced.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await kernel.browserPools.update(first.id, { size: 1 });
  await create(2);
  await expectInvalidField(kernel.browserPools.update(first.id, { size: 2 }), "size");
});

describe("pool deletion", () => {
  test("fails while a browser is leased, unless forced", async () => {
    const kernel = await newOrganizationClient();
    const { id } = await kernel.browserPools.create({ size: 1, name: "leased" });
    const { session_id } = await kernel.browserPools.acquire(id, {});
    for (const body of [undefined, {}, { force: false }]) {
      const error = await errorOf(kernel.browserPools.delete("leased", body));
      expect(error).toBeInstanceOf(ConflictError);
      expect(error.headers?.get("x-should-retry")).toBe("false");
    }
    expect(await kernel.browserPools.retrieve(id)).toMatchObject({ acquired_count: 1 });
    expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });

    await kernel.browserPools.delete("leased", { force: true });
    await expect(kernel.browserPools.retrieve(id)).rejects.toThrow(NotFoundError);
    await expect(kernel.browsers.retrieve(session_id)).rejects.toThrow(NotFoundError);
    const ended = await kernel.browsers.retrieve(session_id, { include_deleted: true });
    expect(ended).toMatchObject({ end_reason: "pool_deleted", deleted_at: expect.any(String) });
  });

  test("ends idle browsers and pending acquires", async () => {
    const kernel = await newOrganizationClient();
    const idle = await kernel.browserPools.create({ size: 1 });
    const session = await kernel.browserPools.acquire(idle.id, {});
    const pid = await findBrowserPid(session);
    await kernel.browserPools.release(idle.id, { session_id: session.session_id });
    await kernel.browserPools.delete(idle.id, {});
    await expect.poll(() => isBrowserRunning(pid), { timeout: LAUNCH_TIMEOUT_MS }).toBe(false);

    const paused = await kernel.browserPools.create({ size: 1, ...PAUSED });
    const waiting = errorOf(kernel.browserPools.acquire(paused.id, {}));
    // Requests are handled in order: once this one has returned, the first is queued.
    await kernel.browserPools.acquire(paused.id, { acquire_timeout_seconds: 0 });
    await kernel.browserPools.delete(paused.id);
    expect(await waiting).toBeInstanceOf(NotFoundError);
    const deleted = await service.log.waitForEvent(
      { event: "pool_deleted", pool_id: paused.id },
      { withinMs: LAUNCH_TIMEOUT_MS },
    );
    expect(deleted).toMatchObject({ browsers: 0 });
  });
});

describe("acquire", () => {
  test("returns 204 with an empty body at its timeout", async () => {
    const organization = await service.createOrganization();
    const kernel = service.kernel(organization);
    const { id } = await kernel.browserPools.create({ size: 1, ...PAUSED });
    const requestedAt = performance.now();
    expect(await kernel.browserPools.acquire(id, { acquire_timeout_seconds: 1 })).toBeNull();
    expect(performance.now() - requestedAt).toBeGreaterThan(950);
    const response = await service.send(
      "POST",
      `/browser_pools/${id}/acquire`,
      { acquire_timeout_seconds: 0 },
      organization.apiKey,
    );
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    // The SDK sends the client's own timeout, which limits the wait.
    const patient = { acquire_timeout_seconds: 3600 };
    expect(await kernel.browserPools.acquire(id, patient, { timeout: 4000 })).toBeNull();
    await expectInvalidField(
      kernel.browserPools.acquire(id, { acquire_timeout_seconds: -1 }),
      "acquire_timeout_seconds",
    );
  });

  test("returns 409 for a name in use and keeps the browser available", async () => {
    const kernel = await newOrganizationClient();
    const { id } = await kernel.browserPools.create({ size: 1 });
    const holder = await kernel.browsers.create({ name: "taken" });
    const error = await errorOf(kernel.browserPools.acquire(id, { name: "taken" }));
    expect(error).toBeInstanceOf(ConflictError);
    await waitForAvailable(kernel, id, 1);
    await kernel.browsers.deleteByID(holder.session_id);
    const session = await kernel.browserPools.acquire(id, { name: "taken" });
    expect(session.name).toBe("taken");
    await deletePools(kernel);
  });

  test("serves waiting callers in order of arrival", async () => {
    const kernel = await newOrganizationClient();
    const { id } = await kernel.browserPools.create({ size: 1, fill_rate_per_minute: 25 });
    const { session_id } = await kernel.browserPools.acquire(id, { name: "holder" });
    const served: string[] = [];
    const waiting: Promise<unknown>[] = [];
    for (const name of ["first", "second", "third"]) {
      waiting.push(
        kernel.browserPools.acquire(id, { name }).then((session) => {
          served.push(session.name ?? "");
          return kernel.browserPools.release(id, { session_id: session.session_id });
        }),
      );
      // Requests are handled in order: once this one has returned, the one before is queued.
      expect(await kernel.browserPools.acquire(id, { acquire_timeout_seconds: 0 })).toBeNull();
    }
    expect(served).toEqual([]);
    await kernel.browserPools.release(id, { session_id });
    await Promise.all(waiting);
    expect(served).toEqual(["first", "second", "third"]);
    expect(await kernel.browserPools.retrieve(id)).toMatchObject({ available_count: 1, acquired_count: 0 });
    await deletePools(kernel);
  });
});

test("a resized pool fills at its new rate immediately", async () => {
  const kernel = await newOrganizationClient();
  const { id } = await kernel.browserPools.create({ size: 1, fill_rate_per_minute: 1 });
  await waitForAvailable(kernel, id, 1);
  // A pool of 100 launches a browser every 2.4 seconds.
  await kernel.browserPools.update(id, { size: 100, fill_rate_per_minute: 25 });
  await waitForAvailable(kernel, id, 2);
  await kernel.browserPools.update(id, { size: 1 });
  await waitForAvailable(kernel, id, 1);
  await deletePools(kernel);
});

describe("idle pool browsers", () => {
  test("are ended by a flush, unlike leased ones", async () => {
    const kernel = await newOrganizationClient();
    const pool = await kernel.browserPools.create({ size: 1, fill_rate_per_minute: 25 });
    const { session_id } = await kernel.browserPools.acquire(pool.id, {});
    await kernel.browserPools.flush(pool.id);
    expect(await kernel.browsers.retrieve(session_id)).toMatchObject({ session_id });
    await kernel.browserPools.update(pool.id, { size: 1, ...PAUSED });
    await kernel.browserPools.release(pool.id, { session_id });
    await waitForAvailable(kernel, pool.id, 1);
    await kernel.browserPools.flush(pool.id);
    expect(await kernel.browserPools.retrieve(pool.id)).toMatchObject({ available_count: 0 });
    expect(await kernel.browserPools.acquire(pool.id, { acquire_timeout_seconds: 0 })).toBeNull();
    await deletePools(kernel);
  });

  test("are replaced by an update with discard_all_idle", async () => {
    const kernel = await newOrganizationClient();
    const { id } = await kernel.browserPools.create({ size: 1 });
    const before = await kernel.browserPools.acquire(id, {});
    await kernel.browserPools.release(id, { session_id: before.session_id });
    await kernel.browserPools.update(id, {
      size: 1,
      ...PAUSED,
      viewport: { width: 1200, height: 800 },
      discard_all_idle: true,
    });
    const after = await kernel.browserPools.acquire(id, {});
    expect(after.session_id).not.toBe(before.session_id);
    expect(after.viewport).toMatchObject({ width: 1200, height: 800 });
    await deletePools(kernel);
  });
});

test("unknown pools and those of another organization return 404", async () => {
  const owner = await newOrganizationClient();
  const { id } = await owner.browserPools.create({ size: 1, name: "not-yours" });
  const { session_id } = await owner.browserPools.acquire(id, {});
  const { browserPools, browsers } = await newOrganizationClient();
  for (const idOrName of ["nosuchpool00000000000000", "no-such-pool", id, "not-yours"]) {
    const errors = await Promise.all(
      [
        browserPools.retrieve(idOrName),
        browserPools.update(idOrName, { size: 1 }),
        browserPools.delete(idOrName, { force: true }),
        browserPools.acquire(idOrName, {}),
        browserPools.release(idOrName, { session_id }),
        browserPools.flush(idOrName),
      ].map(errorOf),
    );
    for (const error of errors) expect(error).toBeInstanceOf(NotFoundError);
  }
  expect(await errorOf(browsers.retrieve(session_id))).toBeInstanceOf(NotFoundError);
  expect(await owner.browserPools.retrieve(id)).toMatchObject({ acquired_count: 1 });

  // Only a leased browser of that pool can be released.
  const other = await owner.browserPools.create({ size: 1, ...PAUSED });
  expect(await errorOf(owner.browserPools.release(other.id, { session_id }))).toBeInstanceOf(NotFoundError);
  await owner.browserPools.release(id, { session_id });
  expect(await errorOf(owner.browserPools.release(id, { session_id }))).toBeInstanceOf(NotFoundError);
  await deletePools(owner);
});
