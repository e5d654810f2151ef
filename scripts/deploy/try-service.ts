import { z } from "zod";
import { SetUpError } from "../local/set-up-error.ts";

const organizationSchema = z.object({ id: z.string(), api_key: z.object({ key: z.string() }) });
const sessionSchema = z.object({ session_id: z.string() });

/** A new address is known everywhere after a while. */
const REACHABLE_WITHIN_MS = 60_000;
const RETRY_MS = 2000;

/** How long one request may take; a browser of the platform starts within seconds. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Waits until the service is healthy. @throws SetUpError when it does not become so. */
export async function untilHealthy(url: string): Promise<void> {
  const giveUpAt = Date.now() + REACHABLE_WITHIN_MS;
  for (;;) {
    const answer = await request(`${url}/health`).catch((error: unknown) => String(error));
    if (typeof answer !== "string" && answer.ok) return;
    if (Date.now() > giveUpAt) {
      const told = typeof answer === "string" ? answer : `${answer.status} ${await answer.text()}`;
      throw new SetUpError(`The service is deployed, but ${url}/health answers: ${told}`);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/**
 * Has the service start and end one session, in an organization of its own that is deleted afterwards.
 *
 * @returns how long the session took to start, in milliseconds.
 * @throws SetUpError when it does not.
 */
export async function trySession(url: string, adminToken: string): Promise<number> {
  const made = await requireJSON(
    organizationSchema,
    await request(`${url}/admin/organizations`, adminToken, { name: "deployment check" }),
  );
  try {
    const startedAt = Date.now();
    const answer = await request(`${url}/browsers`, made.api_key.key, { timeout_seconds: 60 });
    const { session_id } = await requireJSON(sessionSchema, answer);
    const tookMs = Date.now() - startedAt;
    await request(`${url}/browsers/${session_id}`, made.api_key.key, undefined, "DELETE");
    return tookMs;
  } finally {
    await request(`${url}/admin/organizations/${made.id}`, adminToken, undefined, "DELETE");
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

async function requireJSON<T>(schema: z.ZodType<T>, answer: Response): Promise<T> {
  const text = await answer.text();
  if (answer.ok) return schema.parse(JSON.parse(text));
  throw new SetUpError(`The service is deployed, but a session could not be tried: ${answer.status} ${text}`);
}
