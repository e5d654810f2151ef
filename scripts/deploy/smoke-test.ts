import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { errorText, SetUpError } from "../local/set-up-error.ts";
import { callService, createOrganization } from "./service.ts";

const sessionSchema = z.object({ session_id: z.string() });

/** A new address takes a while to resolve everywhere. */
const HEALTHY_TIMEOUT_MS = 60_000;
const RETRY_DELAY_MS = 2000;

/** @throws SetUpError after a timeout. */
export async function waitUntilHealthy(url: string): Promise<void> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS;
  for (;;) {
    try {
      await callService({ url }, "GET", "/health");
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await setTimeout(RETRY_DELAY_MS);
    }
  }
}

/**
 * Starts and ends one session in a temporary organization.
 *
 * @returns how many milliseconds the session took to start.
 * @throws SetUpError when it does not start.
 */
export async function runTestSession(url: string, adminToken: string): Promise<number> {
  const operator = { url, token: adminToken };
  const { user, remove } = await createOrganization(operator, { name: "deployment check" });
  try {
    const startedAt = Date.now();
    const { value } = await callService(user, "POST", "/browsers", { timeout_seconds: 60 });
    const tookMs = Date.now() - startedAt;
    await callService(user, "DELETE", `/browsers/${sessionSchema.parse(value).session_id}`);
    return tookMs;
  } catch (error) {
    throw new SetUpError(`The service is deployed, but the test session failed: ${errorText(error)}`);
  } finally {
    await remove();
  }
}
