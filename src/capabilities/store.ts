import { sql } from "drizzle-orm";
import type { Database } from "../database/client.ts";
import { type CapabilityRow, capabilities } from "../database/schema/capabilities.ts";

export function listCapabilities(database: Database): Promise<CapabilityRow[]> {
  return database.select().from(capabilities).orderBy(capabilities.name);
}

/** Keeps a known outcome when a check could not be tried. */
export async function storeCapability(database: Database, row: CapabilityRow): Promise<void> {
  const { name, ...set } = row;
  await database
    .insert(capabilities)
    .values(row)
    .onConflictDoUpdate({
      target: capabilities.name,
      set,
      setWhere: sql`excluded.outcome <> 'untried' OR ${capabilities.outcome} = 'untried'`,
    });
}
