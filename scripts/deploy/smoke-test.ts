import { z } from "zod";
import { SetUpError } from "../local/set-up-error.ts";

const organizationSchema = z.object({ id: z.string(), api_key: z.object({ key: z.string() }) });
const sessionSchema = z.object({ session_id: z.string() });

/** A new address takes a while to resolve everywhere. */
const HEALTHY_TIMEOUT_MS = 60_000;
const RETRY_DELAY_MS = 2000;

const REQUEST_TIMEOUT_MS = 60_000;

/** @throws SetUpError after a timeout. */
export async function waitUntilHealthy(url: string): Promise<void> {
  const deadline = Date.now() + HEALTHY_TIMEOUT_MS;
  for (;;) {
    const response = await request(`${url}/health`).catch((error: unknown) => String(error));
    if (typeof response !== "string" && response.ok) return;
    if (Date.now() > deadline) {
      const reason = typeof response === "string" ? response : `${response.status} ${await response.text()}`;
      throw new SetUpError(`The service is deployed, but GET ${url}/health failed: ${reason}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  }
}

/**
 * Starts and ends one session in a temporary organization.
 *
 * @returns how many milliseconds the session took to start.
 * @throws SetUpError when it does not start.
 */
export async function runTestSession(url: string, adminToken: string): Promise<number> {
  const organization = await requireJSON(
    organizationSchema,
    await request(`${url}/admin/organizations`, adminToken, { name: "deployment check" }),
  );
  try {
    const startedAt = Date.now();
    const response = await request(`${url}/browsers`, organization.api_key.key, { timeout_seconds: 60 });
    const { session_id } = await requireJSON(sessionSchema, response);
    const tookMs = Date.now() - startedAt;
    await request(`${url}/browsers/${session_id}`, organization.api_key.key, undefined, "DELETE");
    return tookMs;
  } finally {
    await request(`${url}/admin/organizations/${organization.id}`, adminToken, undefined, "DELETE");
  }
}

function request(
  url: string,
  token?: string,
  body?: object,
  method = body ? "POST" : "GET",
): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

async function requireJSON<T>(schema: z.ZodType<T>, response: Response): Promise<T> {
  const text = await response.text();
  if (response.ok) return schema.parse(JSON.parse(text));
  throw new SetUpError(`The service is deployed, but the test session failed: ${response.status} ${text}`);
}
