import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { emitSessionEnded } from "../../../src/features/sessions/session-events.ts";
import { newClient } from "../../api.ts";
import { insertEndedRow } from "../../records.ts";

const bind = (ANALYTICS: Pick<AnalyticsEngineDataset, "writeDataPoint"> | undefined) =>
  Object.assign(env, { ANALYTICS });

afterEach(() => {
  bind(undefined);
});

it("a request and an ended session write a data point each", async () => {
  const writeDataPoint = vi.fn();
  const client = await newClient();
  const { organizationId } = client;
  bind({ writeDataPoint });
  await client.get("/browsers/none?secret=x");
  const row = await insertEndedRow({ organizationId, createdAt: 1000, apiKeyId: "key", poolId: "pool" });
  emitSessionEnded({ env, waitUntil: () => undefined }, row, { reason: "inactivity", at: 3500 });
  // Sessions of other files end in the meantime.
  const own = writeDataPoint.mock.calls.filter(([point]) => point.indexes[0] === organizationId);
  expect(own).toEqual([
    [
      {
        indexes: [organizationId],
        blobs: ["request", "GET /browsers/:id_or_name", organizationId, "not_found"],
        doubles: [expect.any(Number), 404],
      },
    ],
    [
      {
        indexes: [organizationId],
        blobs: ["session", "inactivity", organizationId, "key", "pool"],
        doubles: [2.5],
      },
    ],
  ]);
});

it("a request succeeds when no data point can be written", async () => {
  const client = await newClient();
  bind({
    writeDataPoint: () => {
      throw new Error("Too many data points");
    },
  });
  expect((await client.get("/browsers")).status).toBe(200);
});
