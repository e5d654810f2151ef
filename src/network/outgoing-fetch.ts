/** Sends a request as the global `fetch` does. */
export type Fetch = (input: string | Request, init?: RequestInit) => Promise<Response>;

/**
 * Sends requests that users choose. The local runtime has a binding that connects to public addresses only. A name was
 * looked up before, and may lead elsewhere when the runtime looks it up again to connect.
 */
export function outgoingFetch(
  env: Env,
  { allowPrivateAddresses }: { allowPrivateAddresses: boolean },
): Fetch {
  const network = allowPrivateAddresses ? undefined : env.PUBLIC_NETWORK;
  return network ? (input, init) => network.fetch(input, init) : (input, init) => fetch(input, init);
}
