import { expect, it } from "vitest";
import { liveViewURLSchema } from "../../../src/api/live-view/schema.ts";
import { createdAPIKeySchema } from "../../../src/features/organizations/api-keys/schema.ts";
import { sessionSchema } from "../../../src/features/sessions/session-schema.ts";
import { Client, newClient, openSocket, upgrade } from "../../api.ts";
import { useFakeBrowsers } from "../../fakes/browser-binding.ts";
import { restart } from "../../objects.ts";
import { Listener } from "../../sockets.ts";
import { createFullPool } from "../browser-pools/pools.ts";

useFakeBrowsers();

it("revoking URLs invalidates the earlier ones permanently and closes connections", async () => {
  const client = await newClient();
  const { session_id: id, cdp_ws_url: leaked } = await client.createSession();
  const link = (await client.post(`/browsers/${id}/live_view_urls`)).read(liveViewURLSchema).url;
  const connected = new Listener(await openSocket(leaked));
  const viewer = new Listener(await openViewer(link));
  const fresh = (await client.post(`/browsers/${id}/revoke_urls`)).read(sessionSchema);
  expect((await connected.closed).code).toBe(1001);
  expect((await viewer.closed).reason).toContain("revoked");
  for (let round = 0; round < 2; round += 1) {
    expect((await upgrade(leaked)).status).toBe(401);
    const document = leaked.replace(/^ws/, "http").replace("?", "/json/version?");
    expect((await upgrade(document, { upgrade: "" })).status).toBe(401);
    const refused = new Listener(await openViewer(link));
    expect((await refused.closed).code).toBe(1008);
    (await openSocket(fresh.cdp_ws_url)).close(1000);
    await restart(id);
  }
  const later = (await client.get(`/browsers/${id}`)).read(sessionSchema);
  (await openSocket(later.cdp_ws_url)).close(1000);
});

it("deleting an API key revokes the URLs of sessions that it created or leased", async () => {
  const client = await newClient();
  const { id: keyId, key } = (await client.post("/org/api_keys", { name: "leaked" })).read(
    createdAPIKeySchema,
  );
  const holder = new Client(key, client.organizationId, keyId);
  const pool = await createFullPool(client, { size: 1 });
  const leased = (await holder.post(`/browser_pools/${pool.id}/acquire`, {})).read(sessionSchema);
  const created = await holder.createSession();
  const others = await client.createSession();
  expect((await client.delete(`/org/api_keys/${keyId}`)).status).toBe(204);
  expect((await upgrade(created.cdp_ws_url)).status).toBe(401);
  expect((await upgrade(leased.cdp_ws_url)).status).toBe(401);
  (await openSocket(others.cdp_ws_url)).close(1000);
  const again = (await client.get(`/browsers/${created.session_id}`)).read(sessionSchema);
  (await openSocket(again.cdp_ws_url)).close(1000);
  await client.delete(`/browser_pools/${pool.id}`, { force: true });
});

it("only a session's organization can revoke its URLs", async () => {
  const client = await newClient();
  const { session_id: id, cdp_ws_url } = await client.createSession();
  expect((await (await newClient()).post(`/browsers/${id}/revoke_urls`)).status).toBe(404);
  expect((await client.post("/browsers/none/revoke_urls")).status).toBe(404);
  (await openSocket(cdp_ws_url)).close(1000);
});

function openViewer(link: string): Promise<WebSocket> {
  const url = new URL(link);
  url.pathname += "/socket";
  return openSocket(url.href, { origin: url.origin });
}
