import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useNewClient } from "../../../api.ts";
import { advanceTime } from "../../../objects.ts";
import { appSource, deploy, deployAndWait, runAlarm, waitUntilSettled } from "./deployments.ts";
import { watchWorkers } from "./watched-workers.ts";

const DESCRIBER = "app-describer.js";

const RETRY_DELAY_MS = 30_000;

const client = useNewClient();

describe("the app describer", () => {
  const describers = watchWorkers(DESCRIBER);

  it.each([
    ["with an action", appSource("a"), "running"],
    ["without actions", 'import Kernel from "@onkernel/sdk";\nnew Kernel().app("idle");', "failed"],
  ])("is terminated after an app %s", async (_, source, status) => {
    expect(await deployAndWait(client, { "index.ts": source })).toMatchObject({ status });
    await describers.expectTerminated(1);
  });

  it("reports what the app throws when inspected", async () => {
    const source = 'export const app = new Proxy({}, { has() { throw new Error("not to be looked at"); } });';
    const { status_reason } = await deployAndWait(client, { "index.ts": source });
    expect(status_reason).toBe("The app cannot be loaded: not to be looked at");
  });
});

describe("a platform error", () => {
  const loader = env.LOADER;
  afterEach(() => {
    env.LOADER = loader;
  });

  it.each(["Network connection lost.", "internal error; reference = 0123"])(
    "is retried and does not fail the app: %s",
    async (message) => {
      const fetch = vi.fn(() => Promise.reject(new Error(message)));
      const failing = new Proxy(
        loader.load({ compatibilityDate: "2026-08-01", mainModule: "a.js", modules: { "a.js": "" } }),
        {
          get: (_, property) => (property === "getEntrypoint" ? () => ({ fetch }) : undefined),
        },
      );
      env.LOADER = {
        get: (...parameters) => loader.get(...parameters),
        load: (code) => (code.mainModule === DESCRIBER ? failing : loader.load(code)),
      };
      const { id } = await deploy(client, { "index.ts": appSource("a") });
      await expect.poll(() => fetch.mock.calls.length).toBeGreaterThan(0);
      expect((await client.get(`/deployments/${id}`)).json).toMatchObject({ status: "in_progress" });
      env.LOADER = loader;
      advanceTime(RETRY_DELAY_MS);
      await runAlarm(id);
      expect(await waitUntilSettled(client, id)).toMatchObject({ status: "running" });
    },
  );
});
