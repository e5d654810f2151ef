/** Optional bindings, which `wrangler types` does not generate. */
interface Env {
  /** The previous TOKEN_SECRET, while URLs signed with it are in use. */
  TOKEN_SECRET_PREVIOUS?: string;
  /** The previous ENCRYPTION_KEY, while stored content needs it. */
  ENCRYPTION_KEY_PREVIOUS?: string;
  /** Restricts fetches to public addresses in the local runtime; on Cloudflare `fetch` itself does. */
  PUBLIC_NETWORK?: Fetcher;
  ANALYTICS?: AnalyticsEngineDataset;
  PROXY_UPSTREAM_DATACENTER?: string;
  PROXY_UPSTREAM_ISP?: string;
  PROXY_UPSTREAM_RESIDENTIAL?: string;
  PROXY_UPSTREAM_MOBILE?: string;
}
