import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { useNewClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";

useFakeBrowsers();
const client = useNewClient();

afterEach(() => {
  env.HOSTS = "";
  env.MACHINE = "simulated";
});

const HOSTS = JSON.stringify([{ name: "first", url: "https://host.example" }]);

const NEEDS_HOST = {
  status: 501,
  json: {
    code: "not_implemented",
    message: "machine: linux needs a session host, and the setting HOSTS names none",
  },
};

describe("the field machine", () => {
  it.each([
    ["a session", "/browsers", {}],
    ["a pool", "/browser_pools", { size: 1 }],
  ])("of %s needs a host for linux, and knows no other kinds", async (_, path, body) => {
    expect(await client.post(path, { ...body, machine: "linux" })).toMatchObject(NEEDS_HOST);
    expect(await client.post(path, { ...body, machine: "windows" })).toMatchObject({
      status: 400,
      json: { details: [{ code: "invalid_input", message: expect.stringContaining("machine") }] },
    });
  });

  it("is what the setting says if it is absent", async () => {
    expect((await client.post("/browsers", {})).json).toMatchObject({ machine: "simulated" });
    env.MACHINE = "linux";
    expect(await client.post("/browsers", {})).toMatchObject(NEEDS_HOST);
    env.HOSTS = HOSTS;
    expect((await client.post("/browsers", {})).json).toMatchObject({ machine: "linux" });
    expect((await client.post("/browsers", { machine: "simulated" })).json).toMatchObject({
      machine: "simulated",
    });
  });

  it("of a pool is that of its sessions, and can be changed", async () => {
    env.HOSTS = HOSTS;
    const created = await client.post("/browser_pools", { size: 1, machine: "linux" });
    const pool = `/browser_pools/${z.object({ id: z.string() }).parse(created.json).id}`;
    expect(created.json).toMatchObject({ browser_pool_config: { machine: "linux" } });
    const { json: session } = await client.post(`${pool}/acquire`, {});
    expect(session).toMatchObject({ machine: "linux" });
    const changed = await client.patch(pool, { size: 1, machine: "simulated" });
    expect(changed.json).toMatchObject({ browser_pool_config: { machine: "simulated" } });
    env.HOSTS = "";
    expect(await client.patch(pool, { size: 1, machine: "linux" })).toMatchObject(NEEDS_HOST);
    const renamed = await client.patch(pool, { size: 1, fill_rate_per_minute: 10 });
    expect(renamed.status).toBe(200);
  });
});
