/** What wrangler's proxy answers in its own name, as text: the service itself answers errors in JSON. */
const LOST_CONNECTION = "Error: Network connection lost.";

/**
 * `fetch` that asks once more where wrangler's proxy has lost its connection to the service. The proxy keeps
 * connections for as long as the service does, five seconds, and so now and then sends a request into one that is
 * just being closed, most of all while the service computes: measured, one of 420 requests that came after a pause of
 * about five seconds. Nothing has read such a request. A deployed Worker has no such proxy before it.
 */
export async function fetchAgain(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  return mayRepeat(input, init?.body) && (await isLost(response)) ? fetch(input, init) : response;
}

/** What is sent as a stream is gone. */
function mayRepeat(input: string | URL | Request, body: RequestInit["body"]): boolean {
  return !(input instanceof Request) && (body === undefined || body === null || typeof body === "string");
}

async function isLost(response: Response): Promise<boolean> {
  if (response.status !== 500 || response.headers.get("content-type")?.includes("json")) return false;
  return (await response.clone().text()).startsWith(LOST_CONNECTION);
}
