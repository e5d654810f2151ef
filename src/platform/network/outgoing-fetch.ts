export type Fetch = (input: string | Request, init?: RequestInit) => Promise<Response>;

/** In the local runtime, a binding connects to public addresses only, which stops DNS rebinding. */
export function outgoingFetch(
  env: Env,
  { allowPrivateAddresses }: { allowPrivateAddresses: boolean },
): Fetch {
  const network = allowPrivateAddresses ? undefined : env.PUBLIC_NETWORK;
  return network ? (input, init) => network.fetch(input, init) : (input, init) => fetch(input, init);
}
