export interface BrowserProxy {
  /** Scheme, host and port, as `proxyServer` of a browser context. */
  server: string;
  /** Host names, or `*.` and a name for its subdomains. */
  bypassHosts: string[];
  credentials?: { username: string; password: string };
}
