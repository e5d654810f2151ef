import { errorText } from "../local/error-text.ts";
import { SetUpError } from "../local/set-up-error.ts";

const REQUEST_TIMEOUT_MS = 60_000;

/** A running service, and ADMIN_TOKEN or an API key. */
export interface Operator {
  url: string;
  token?: string;
}

/** @throws SetUpError when the service does not answer, or refuses. */
export async function callService({ url, token }: Operator, method: string, path: string, body?: object) {
  const init = {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  };
  const request = async () => {
    const response = await fetch(new URL(path, url), init);
    return {
      ok: response.ok,
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    };
  };
  const answer = await request().catch((error: unknown) => {
    throw new SetUpError(`${url} did not answer: ${method} ${path}: ${errorText(error)}`);
  });
  if (answer.ok) return answer;
  throw new SetUpError(`${method} ${path} failed: ${answer.status} ${answer.text}`);
}
