import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { sweepSessions } from "../../../src/features/sessions/index.ts";
import { newClient } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { insertEndedRow, insertSessionRow } from "../../records.ts";

const HOST = "https://host.example";

useFakeBrowsers();
const { organizationId } = await newClient();
const requests = vi.spyOn(globalThis, "fetch");

afterEach(() => {
  env.HOSTS = "";
  requests.mockReset();
});

it("ends the machines whose session or lease has ended, and no others", async () => {
  env.HOSTS = JSON.stringify([
    { name: "silent", url: "https://silent.example" },
    { name: "first", url: HOST },
  ]);
  env.HOSTS_TOKEN = "token-of-the-hosts";
  const ended = await insertEndedRow({ organizationId });
  const living = await insertSessionRow({ organizationId, state: "active" });
  const leased = await insertSessionRow({ organizationId, state: "active", lease: 2 });
  const old = new Date(Date.now() - 3_600_000).toISOString();
  const machines = [
    { id: "of-ended", started_at: old, labels: { session: ended.id, lease: "" } },
    {
      id: "of-ended-just-now",
      started_at: new Date().toISOString(),
      labels: { session: ended.id, lease: "" },
    },
    { id: "of-living", started_at: old, labels: { session: living.id, lease: "" } },
    { id: "of-former-lease", started_at: old, labels: { session: leased.id, lease: "1" } },
    { id: "of-lease", started_at: old, labels: { session: leased.id, lease: "2" } },
    { id: "of-another-service", started_at: old, labels: { session: "unknown", lease: "" } },
    { id: "of-nobody", started_at: old, labels: {} },
  ];
  const deleted: string[] = [];
  requests.mockImplementation(async (input, init) => {
    const url = new URL(String(input));
    if (url.host === "silent.example") throw new Error("no connection");
    expect(new Headers(init?.headers).get("authorization")).toBe("Bearer token-of-the-hosts");
    if (init?.method === "DELETE") deleted.push(url.pathname);
    return init?.method === "DELETE" ? new Response(null, { status: 204 }) : Response.json({ machines });
  });
  await sweepSessions(env, Date.now());
  expect(deleted.sort()).toEqual(["/machines/of-ended", "/machines/of-former-lease"]);
});
