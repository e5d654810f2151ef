import type { z } from "@hono/zod-openapi";
import type { Database } from "../../../lib/database/client.ts";
import {
  selectDestination,
  type sessionTelemetryRequestSchema,
  type TelemetryRequest,
} from "../../telemetry/index.ts";

/**
 * Resolves the destination that a request names.
 *
 * @param labels what exported events carry.
 * @throws ServiceError 400 for an unknown destination.
 */
export async function selectTelemetry(
  database: Database,
  organizationId: string,
  request: z.infer<typeof sessionTelemetryRequestSchema> | null | undefined,
  labels: { name: string | null; tags: Record<string, string> },
): Promise<TelemetryRequest | null> {
  if (request == null) return null;
  const { export: exported, ...configuration } = request;
  const destination = exported?.otlp?.destination;
  if (destination === undefined) return configuration;
  if (destination === "") return { ...configuration, export: null };
  const destinationId = await selectDestination(database, organizationId, destination);
  return { ...configuration, export: { destinationId, ...labels } };
}
