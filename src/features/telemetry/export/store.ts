import { and, desc, eq, or } from "drizzle-orm";
import { badRequest, conflict } from "../../../lib/common/errors.ts";
import type { Database } from "../../../lib/database/client.ts";
import { type OTLPDestinationRow, otlpDestinations } from "../../../lib/database/schema/telemetry.ts";
import { isUniqueViolation } from "../../../lib/database/unique-violation.ts";
import type { PageRequest } from "../../../lib/http/pagination.ts";

export async function findDestination(
  database: Database,
  organizationId: string,
  idOrName: string,
): Promise<OTLPDestinationRow | undefined> {
  const { id, name } = otlpDestinations;
  const [row] = await database
    .select()
    .from(otlpDestinations)
    .where(
      and(eq(otlpDestinations.organizationId, organizationId), or(eq(id, idOrName), eq(name, idOrName))),
    );
  return row;
}

/**
 * @returns the id of the destination that a session exports to.
 * @throws ServiceError 400 on `telemetry.export.otlp.destination` if the organization has no such
 * destination.
 */
export async function selectDestination(
  database: Database,
  organizationId: string,
  idOrName: string,
): Promise<string> {
  const row = await findDestination(database, organizationId, idOrName);
  if (row !== undefined) return row.id;
  throw badRequest({ field: "telemetry.export.otlp.destination", message: "destination not found" });
}

export async function listDestinations(
  database: Database,
  organizationId: string,
  { name, limit, offset }: PageRequest & { name?: string },
): Promise<OTLPDestinationRow[]> {
  return database
    .select()
    .from(otlpDestinations)
    .where(
      and(
        eq(otlpDestinations.organizationId, organizationId),
        name === undefined ? undefined : eq(otlpDestinations.name, name),
      ),
    )
    .orderBy(desc(otlpDestinations.createdAt), desc(otlpDestinations.id))
    .limit(limit + 1)
    .offset(offset);
}

/** @returns false if the row was changed or deleted since it was read. */
export async function updateDestination(
  database: Database,
  { id, endpoint, encryptedHeaders }: OTLPDestinationRow,
  change: Partial<OTLPDestinationRow>,
): Promise<boolean> {
  const isUnchanged = and(
    eq(otlpDestinations.id, id),
    eq(otlpDestinations.endpoint, endpoint),
    eq(otlpDestinations.encryptedHeaders, encryptedHeaders),
  );
  const rows = await database.update(otlpDestinations).set(change).where(isUnchanged).returning();
  return rows.length > 0;
}

export async function deleteDestination(database: Database, id: string): Promise<void> {
  await database.delete(otlpDestinations).where(eq(otlpDestinations.id, id));
}

/** A statement that deletes those of an organization. */
export function deleteDestinationsOf(database: Database, organizationId: string) {
  return database.delete(otlpDestinations).where(eq(otlpDestinations.organizationId, organizationId));
}

/** @throws ServiceError 409 if the write uses a name that is taken. */
export async function refuseTakenName<T>(write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    throw isUniqueViolation(error) ? conflict("The name is in use by another OTLP destination") : error;
  });
}
