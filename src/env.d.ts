/** Optional bindings, which the generated types do not know. */
interface Env {
  /** The TOKEN_SECRET before the present one, while URLs signed with it are still about. */
  TOKEN_SECRET_PREVIOUS?: string;
  /** The ENCRYPTION_KEY before the present one, while there is something that was encrypted with it. */
  ENCRYPTION_KEY_PREVIOUS?: string;
  /** Connects to public addresses only. The local runtime has it; on Cloudflare `fetch` itself does so. */
  PUBLIC_NETWORK?: Fetcher;
  /** Gateways that carry the proxies of each type, with their credentials. */
  PROXY_UPSTREAM_DATACENTER?: string;
  PROXY_UPSTREAM_ISP?: string;
  PROXY_UPSTREAM_RESIDENTIAL?: string;
  PROXY_UPSTREAM_MOBILE?: string;
}
