import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import type { z } from "zod";
import { profileSchema } from "../../../src/features/profiles/schema.ts";
import { openDatabase } from "../../../src/lib/database/client.ts";
import { type ProfileRow, profiles } from "../../../src/lib/database/schema/profiles.ts";
import type { BrowserState } from "../../../src/platform/browser/state/browser-state.ts";
import type { Client } from "../../api.ts";

export function newState(text: string): BrowserState {
  const cookie = { name: "text", value: text, domain: "a.test", path: "/", httpOnly: true, secure: true };
  const storage = JSON.stringify({ localStorage: [["text", text]], databases: [] });
  return { version: 1, cookies: [cookie], origins: [{ origin: "https://a.test", storage }], skipped: 0 };
}

export async function newProfile(client: Client, name?: string): Promise<z.infer<typeof profileSchema>> {
  return (await client.post("/profiles", name === undefined ? undefined : { name })).read(profileSchema);
}

/** The R2 keys of an organization's profile contents. */
export async function contentKeys(organizationId: string): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix: `profiles/${organizationId}/` });
  return objects.map(({ key }) => key);
}

export async function readProfileRow(id: string): Promise<ProfileRow | undefined> {
  const [row] = await openDatabase(env.DB).select().from(profiles).where(eq(profiles.id, id));
  return row;
}
