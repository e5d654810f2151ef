import { z } from "zod";
import { errorText, SetUpError } from "../local/set-up-error.ts";

const REQUEST_TIMEOUT_MS = 60_000;

/** A running service, and ADMIN_TOKEN or an API key. */
export interface Operator {
  url: string;
  token?: string;
}

const organizationSchema = z.object({ id: z.string(), api_key: z.object({ key: z.string() }) });

/** Creates an organization for a test. */
export async function createOrganization(operator: Operator, body: object) {
  const { value } = await callService(operator, "POST", "/admin/organizations", body);
  const { id, api_key } = organizationSchema.parse(value);
  return {
    user: { url: operator.url, token: api_key.key },
    /** Also ends its sessions. */
    remove: async () => void (await callService(operator, "DELETE", `/admin/organizations/${id}`)),
  };
}

/** @throws SetUpError when the service does not answer, or refuses. */
export async function callService(
  { url, token }: Operator,
  method: string,
  path: string,
  body?: object,
  signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS),
): Promise<{ headers: Headers; value: unknown }> {
  const init = {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal,
  };
  const request = async () => {
    const response = await fetch(new URL(path, url), init);
    return { response, text: await response.text() };
  };
  const { response, text } = await request().catch((error: unknown) => {
    throw new SetUpError(`${url} did not answer: ${method} ${path}: ${errorText(error)}`);
  });
  if (!response.ok) throw new SetUpError(`${method} ${path} failed: ${response.status} ${text}`);
  return { headers: response.headers, value: text === "" ? undefined : JSON.parse(text) };
}
