import { APIError, api, read, type Schemas } from "../../api/client.ts";
import { toError } from "../../api/hooks.ts";
import type { Tone } from "../../ui/badge.tsx";

export type Session = Schemas["OperatorSession"];

export const STATES: Readonly<Record<Session["state"], readonly [Tone, string]>> = {
  starting: ["info", "Starting"],
  idle: ["neutral", "Waits in its pool"],
  active: ["good", "Active"],
  ended: ["neutral", "Ended"],
};

/** What uses a session now, such as `2 clients, 1 viewer`; a dash: nothing that is counted. */
export function describeUse({ clients, viewers }: Pick<Session, "clients" | "viewers">): string {
  const uses = [[clients, "client"] as const, [viewers, "viewer"] as const].filter(([count]) => count > 0);
  return uses.map(([count, noun]) => `${count} ${noun}${count === 1 ? "" : "s"}`).join(", ") || "–";
}

/** Ends sessions, and returns those that could not be ended. One that has ended meanwhile is none of them. */
export async function endSessions(ids: readonly string[]): Promise<{ id: string; error: Error }[]> {
  const results = await Promise.all(
    ids.map(async (id) => {
      try {
        await read(api.DELETE("/admin/sessions/{id}", { params: { path: { id } } }));
        return [];
      } catch (error) {
        return error instanceof APIError && error.status === 404 ? [] : [{ id, error: toError(error) }];
      }
    }),
  );
  return results.flat();
}
