import { expect } from "vitest";
import type { z } from "zod";
import { destinationSchema } from "../../../../src/features/telemetry/export/schema.ts";
import type { Client } from "../../../api.ts";
import { ENDPOINT } from "./receiver.ts";

export async function createDestination(
  client: Client,
  body: object = {},
): Promise<z.infer<typeof destinationSchema>> {
  const response = await client.post("/org/otlp_destinations", {
    name: "collector",
    endpoint: ENDPOINT,
    ...body,
  });
  expect(response.status, response.text).toBe(201);
  return destinationSchema.parse(response.json);
}
