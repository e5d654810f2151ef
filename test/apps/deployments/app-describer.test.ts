import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Client, newClient } from "../../api.ts";
import { passTime } from "../../objects.ts";
import { appSource, deploy, deployAndWait, runAlarm, waitUntilSettled } from "./deployments.ts";
import { watchWorkers } from "./watched-workers.ts";

const DESCRIBER = "app-describer.js";

/** When the alarm takes up what has failed. */
const RETRY_DELAY_MS = 30_000;

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

describe("the Worker that describes an app", () => {
  const describers = watchWorkers(DESCRIBER);

  it.each([
    ["that runs", appSource("a"), "running"],
    ["without actions", 'import Kernel from "@onkernel/sdk";\nnew Kernel().app("idle");', "failed"],
  ])("is ended after one %s", async (_, source, status) => {
    expect(await deployAndWait(client, { "index.ts": source })).toMatchObject({ status });
    await describers.expectEnded(1);
  });

  it("tells what the app throws when it is looked at", async () => {
    const source = 'export const app = new Proxy({}, { has() { throw new Error("not to be looked at"); } });';
    const { status_reason } = await deployAndWait(client, { "index.ts": source });
    expect(status_reason).toBe("The app cannot be loaded: not to be looked at");
  });
});

describe("a fault of the platform", () => {
  const loader = env.LOADER;
  afterEach(() => {
    env.LOADER = loader;
    vi.useRealTimers();
  });

  it.each(["Network connection lost.", "internal error; reference = 0123"])(
    "is no fault of the app, which is described again: %s",
    async (fault) => {
      const fetch = vi.fn(() => Promise.reject(new Error(fault)));
      const faulty = new Proxy(
        loader.load({ compatibilityDate: "2026-08-01", mainModule: "a.js", modules: { "a.js": "" } }),
        {
          get: (_, property) => (property === "getEntrypoint" ? () => ({ fetch }) : undefined),
        },
      );
      env.LOADER = {
        get: (...parameters) => loader.get(...parameters),
        load: (code) => (code.mainModule === DESCRIBER ? faulty : loader.load(code)),
      };
      const { id } = await deploy(client, { "index.ts": appSource("a") });
      await expect.poll(() => fetch.mock.calls.length).toBeGreaterThan(0);
      expect((await client.get(`/deployments/${id}`)).json).toMatchObject({ status: "in_progress" });
      env.LOADER = loader;
      passTime(RETRY_DELAY_MS);
      await runAlarm(id);
      expect(await waitUntilSettled(client, id)).toMatchObject({ status: "running" });
    },
  );
});
