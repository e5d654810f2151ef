/** A proxy as a browser is told of it. */
export interface BrowserProxy {
  /** As `proxyServer` of a browser context takes it: scheme, host and port. */
  server: string;
  /** Hosts that are reached without it: names, or `*.` and a name for those below it. */
  bypassHosts: string[];
  /** What it wants to be told by whoever uses it. */
  credentials?: { username: string; password: string };
}
