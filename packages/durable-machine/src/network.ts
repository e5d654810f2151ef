/** A request that `curl` or `wget` makes. */
export interface MachineRequest {
  /** Default: GET. */
  method?: string;
  headers?: HeadersInit;
  body?: string | Uint8Array;
  signal?: AbortSignal;
  /** Default: true. */
  followRedirects?: boolean;
  maxRedirects?: number;
  timeoutMs?: number;
}

export interface MachineResponse {
  status: number;
  statusText: string;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
  /** The address that answered, after redirects, without credentials. */
  url: string;
}

/**
 * Sends a request and reads the whole response. The host decides where requests may go, how many redirects they
 * follow, how long they take and how large a response may be.
 *
 * @throws an Error whose message is for the user; a {@link FailureReason} as its `reason` decides the exit code.
 */
export type MachineFetch = (url: string, request?: MachineRequest) => Promise<MachineResponse>;

export type FailureReason =
  | "off"
  | "invalid_request"
  | "host_not_allowed"
  | "private_address"
  | "unresolved"
  | "unreachable"
  | "timed_out"
  | "too_many_redirects"
  | "response_too_large";
