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
 * Sends a request of `curl` or `wget` and reads the whole response, within limits that the host sets.
 *
 * @throws an Error whose message is for the user; its `reason`, such as "timed_out", decides the exit code of
 * `curl`.
 */
export type MachineFetch = (url: string, request?: MachineRequest) => Promise<MachineResponse>;
