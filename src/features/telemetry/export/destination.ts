import type { z } from "zod";
import { badRequest, conflict } from "../../../lib/common/errors.ts";
import { newIdentifier } from "../../../lib/common/identifiers.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import { openDatabase } from "../../../lib/database/client.ts";
import { type OTLPDestinationRow, otlpDestinations } from "../../../lib/database/schema/telemetry.ts";
import { requireDeliveryAddress } from "../../../platform/network/delivery-address.ts";
import { insertWithinQuota } from "../../organizations/index.ts";
import { encryptHeaders, readHeaders } from "./headers.ts";
import type { createDestinationBodySchema, updateDestinationBodySchema } from "./schema.ts";
import { refuseTakenName, updateDestination } from "./store.ts";

/** @throws ServiceError 400 for an endpoint that is not allowed, 409 for a taken name, 429 at the quota. */
export async function createDestination(
  env: Env,
  organizationId: string,
  { name, endpoint, headers = {} }: z.infer<typeof createDestinationBodySchema>,
): Promise<OTLPDestinationRow> {
  await requireDeliveryAddress(env, endpoint, "endpoint");
  const id = newIdentifier();
  const now = Date.now();
  const stored = await encryptHeaders(env, id, {}, headers);
  const row = { id, organizationId, name, endpoint, ...stored, createdAt: now, updatedAt: now };
  const insertion = insertWithinQuota(
    openDatabase(env.DB),
    { kind: "otlpDestinations", table: otlpDestinations },
    row,
    readSettings(env).quotas,
  );
  await refuseTakenName(insertion);
  return row;
}

/**
 * Running sessions use the new values within 30 seconds.
 *
 * @throws ServiceError 400 for an endpoint that is not allowed, or if a new origin would get stored headers;
 * 409 for a taken name, or a concurrent change.
 */
export async function changeDestination(
  env: Env,
  row: OTLPDestinationRow,
  { name = row.name, endpoint = row.endpoint, headers = {} }: z.infer<typeof updateDestinationBodySchema>,
): Promise<OTLPDestinationRow> {
  if (endpoint !== row.endpoint) await requireDeliveryAddress(env, endpoint, "endpoint");
  const given = Object.keys(headers).map((header) => header.toLowerCase());
  const isMoved = new URL(endpoint).origin !== new URL(row.endpoint).origin;
  if (isMoved && row.headerNames.some((header) => !given.includes(header))) {
    const message = "must give or remove each stored header, because the endpoint moves to another origin";
    throw badRequest({ field: "headers", message });
  }
  const stored =
    given.length > 0 ? await encryptHeaders(env, row.id, await readHeaders(env, row), headers) : {};
  const changed = { ...row, name, endpoint, ...stored, updatedAt: Date.now() };
  if (!(await refuseTakenName(updateDestination(openDatabase(env.DB), row, changed)))) {
    throw conflict("The destination was changed or deleted at the same time");
  }
  return changed;
}
