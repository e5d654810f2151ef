import { beforeEach, describe, expect, it, vi } from "vitest";
import { runKeys } from "../../../../src/features/apps/invocations/run-key.ts";
import { pause } from "../../../../src/lib/common/concurrency.ts";
import { newClient } from "../../../api.ts";
import { deployApp } from "../deployed-app.ts";
import { invoke } from "./actions.ts";
import { mockOutsideRequests } from "./outside-requests.ts";

/** Sends a request ten times a second for as long as the code that started it lives. */
const HEAD = `
import { exports, waitUntil } from "cloudflare:workers";

let ticks = 0;
function tick(name) {
  setInterval(() => { ticks += 1; fetch("http://ticks.test/" + name).catch(() => {}); }, 100);
  waitUntil(new Promise(() => {}));
}

/** Of the object that the action runs in, if it lets itself be seen. */
let state;
Object.defineProperty(Object.prototype, "ctx", {
  set(value) {
    state = value;
    Object.defineProperty(this, "ctx", { value });
  },
});
`;

const outside = mockOutsideRequests();
const client = await newClient();
const app = await deployApp(
  client,
  {
    exports: `Response.json = () => { tick("exports"); return new Response(""); };
      const ask = async (name) => { await exports[name].fetch("https://any.test/"); };
      await Promise.allSettled(Object.keys(exports).map(ask));
      return Object.keys(exports);`,
    tick: 'tick("facet"); await new Promise(() => {});',
    facet: `const child = state.facets.get("child", () => ({ class: exports.Action }));
      const request = { appName: app.name, actionName: "tick", payload: null, limits: { outputBytes: 100, logBytes: 100 } };
      await child.fetch("https://any.test/", { method: "POST", body: JSON.stringify(request) });
      while (ticks === 0) await scheduler.wait(10);
      return "ticking";`,
  },
  { head: HEAD },
);
beforeEach(() => {
  // Otherwise the gateway would refuse requests of a finished run, and hide them from this test.
  vi.spyOn(runKeys, "isActive").mockResolvedValue(true);
});

async function expectDead(name: string): Promise<void> {
  outside.urls.length = 0;
  await pause(500);
  expect(outside.urls.filter((url) => url.endsWith(name))).toEqual([]);
}

describe("code of a finished action", () => {
  it("does not survive in requests to exports of its main module", async () => {
    // Only the object that owns a facet can reach the class of the facet.
    expect((await invoke(client, app, "exports")).output).toBe('["Action"]');
    await expectDead("exports");
  });

  it("does not survive in a facet of its facet", async () => {
    const { output, status_reason } = await invoke(client, app, "facet");
    expect(output, status_reason).toBe('"ticking"');
    await expectDead("facet");
  });
});
