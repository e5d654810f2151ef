import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { type Client, newClient } from "../../api.ts";

/** A page whose title reports the last input. */
const PAGE = `data:text/html,${encodeURIComponent(`<!doctype html>
<title>ready</title>
<style>body { margin: 0 } button { position: absolute; left: 100px; top: 100px; width: 80px; height: 40px }</style>
<button>go</button>
<input style="position: absolute; left: 300px; top: 100px; width: 200px">
<div tabindex="0" style="position: absolute; left: 600px; top: 100px; width: 100px; height: 100px"></div>
<script>
  document.querySelector("div").onkeydown = ({ key, shiftKey }) => { document.title = "key " + [key, shiftKey]; };
  document.querySelector("button").onclick = ({ clientX, clientY, detail }) => {
    document.title = "clicked " + [clientX, clientY, detail];
  };
  document.querySelector("input").oninput = ({ target }) => { document.title = "typed " + target.value; };
</script>`)}`;

const listedSchema = z.array(z.object({ type: z.string(), title: z.string() }));

function sizeOf(png: Uint8Array): { width: number; height: number } {
  expect([...png.slice(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const header = new DataView(png.buffer, png.byteOffset);
  return { width: header.getUint32(16), height: header.getUint32(20) };
}

describe("computer controls with a real Chromium", () => {
  let client: Client;
  let id: string;
  let listURL: string;

  beforeAll(async () => {
    client = await newClient();
    const session = await client.createSession({
      timeout_seconds: 600,
      viewport: { width: 1024, height: 768 },
      start_url: PAGE,
    });
    id = session.session_id;
    const cdp = new URL(session.cdp_ws_url);
    listURL = `${cdp.pathname}/json/list${cdp.search}`;
    await vi.waitFor(async () => expect(await title()).toBe("ready"), { timeout: 20_000 });
  });

  afterAll(async () => {
    await client.delete(`/browsers/${id}`);
  });

  const call = (name: string, body?: object) => client.post(`/browsers/${id}/computer/${name}`, body);

  async function title(): Promise<string | undefined> {
    const targets = (await client.get(listURL)).read(listedSchema);
    return targets.find(({ type }) => type === "page")?.title;
  }

  it("clicks at the given coordinates", async () => {
    expect((await call("click_mouse", { x: 140, y: 120 })).status).toBe(200);
    await expect.poll(title).toBe("clicked 140,120,1");
    expect((await call("get_mouse_position")).json).toEqual({ x: 140, y: 120 });
    await call("click_mouse", { x: 141, y: 121, num_clicks: 2 });
    await expect.poll(title).toBe("clicked 141,121,2");
  });

  it("types the given text", async () => {
    await call("click_mouse", { x: 400, y: 110 });
    expect((await call("type", { text: "Grüße, 日本 👩‍👩‍👧!" })).status).toBe(200);
    await expect.poll(title).toBe("typed Grüße, 日本 👩‍👩‍👧!");
    await call("press_key", { keys: ["Ctrl+a", "BackSpace", "Shift+b"] });
    await expect.poll(title).toBe("typed B");
  });

  it.each([
    [{ keys: ["b"] }, "key b,false"],
    [{ keys: ["Shift+b"] }, "key B,true"],
    [{ keys: ["1"], hold_keys: ["Shift"] }, "key !,true"],
  ])("sends the events of a keyboard for %j", async (body, expected) => {
    await call("click_mouse", { x: 650, y: 150 });
    await call("press_key", body);
    await expect.poll(title).toBe(expected);
  });

  it("captures the viewport or a region of it as a PNG", async () => {
    const whole = await call("screenshot");
    expect(whole.headers.get("content-type")).toBe("image/png");
    expect(sizeOf(whole.bytes)).toEqual({ width: 1024, height: 768 });
    const region = await call("screenshot", { region: { x: 100, y: 100, width: 80, height: 40 } });
    expect(sizeOf(region.bytes)).toEqual({ width: 80, height: 40 });
  });

  it("reads what was written to the clipboard", async () => {
    const text = "one\ntwo ü 👍";
    expect((await call("clipboard/write", { text })).status).toBe(200);
    expect((await call("clipboard/read")).json).toEqual({ text });
  });

  it("captures the new size after a resize", async () => {
    const answer = await client.patch(`/browsers/${id}`, { viewport: { width: 1200, height: 800 } });
    expect(answer.status, answer.text).toBe(200);
    expect(sizeOf((await call("screenshot")).bytes)).toEqual({ width: 1200, height: 800 });
  });
});
