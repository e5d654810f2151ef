import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { SetUpError } from "../local/set-up-error.ts";
import { callService, type Operator } from "./service.ts";

const organizationsSchema = z.array(z.object({ id: z.string() }));
const browsersSchema = z.array(z.object({ is_ours: z.boolean(), session_id: z.string().nullable() }));

const TIMEOUT_MS = 180_000;
const POLL_INTERVAL_MS = 3000;

/**
 * Disables all organizations, which ends their sessions and pools, and waits until their browsers are closed.
 *
 * @throws SetUpError when the service refuses, or browsers are still running after three minutes.
 */
export async function endAllSessions(operator: Operator): Promise<void> {
  for (const { id } of await listOrganizations(operator)) {
    await callService(operator, "PATCH", `/admin/organizations/${id}`, { disabled: true });
  }
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { value } = await callService(operator, "GET", "/admin/browsers");
    const browsers = browsersSchema.parse(value);
    const running = browsers.filter(({ is_ours, session_id }) => is_ours && session_id !== null).length;
    if (running === 0) return;
    if (performance.now() > deadline) {
      throw new SetUpError(
        `${running} browsers are still running. All organizations are now disabled, and nothing was deleted. Run the command
again, or unset ADMIN_TOKEN to leave these browsers to Cloudflare. To keep the deployment, enable the organizations with
PATCH /admin/organizations/{id}.`,
      );
    }
    console.log(`${running} browsers are still running …`);
    await setTimeout(POLL_INTERVAL_MS);
  }
}

async function listOrganizations(operator: Operator): Promise<{ id: string }[]> {
  const found: { id: string }[] = [];
  for (let offset = "0"; ; ) {
    const path = `/admin/organizations?limit=100&offset=${offset}`;
    const { value, headers } = await callService(operator, "GET", path);
    found.push(...organizationsSchema.parse(value));
    const next = headers.get("x-next-offset");
    if (headers.get("x-has-more") !== "true" || next === null) return found;
    offset = next;
  }
}
