/** What the probe tries, as statements about the platform that may hold. */
export const CHECKS = {
  browser_launches: "Four browsers are launched in one second",
  browser_sockets: "A browser serves two sockets, a page's socket and /json/*",
  browser_listing: "A new browser is listed within BROWSER_LIST_LAG_SECONDS",
  browser_keep_alive_limit: "A browser is kept for 20 minutes without a command",
  browser_keep_alive: "Commands alone keep a browser alive",
  browser_version: "A browser tells its version and flags",
  devtools_methods: "A browser has every DevTools method that Berth needs",
  hold_popups: "A new tab waits for its first script until it is prepared",
  hold_frames: "A frame of another site waits until it is prepared",
  hold_workers: "Dedicated, shared and service workers wait until they are prepared",
  context_proxy: "A browser context uses its proxy",
  files: "A browser saves downloads on its disk, and pages read them",
  extensions: "A browser runs extensions",
  screencast: "A page sends pictures while it changes",
  video_encoding: "A browser encodes video",
  large_profile: "A profile of 22 MiB is collected, encrypted, stored and read",
  object_lifetime: "A Durable Object lives as long as it sends commands to a browser",
  dynamic_workers: "A Dynamic Worker runs WebAssembly and gets its properties",
  dynamic_limits: "A Dynamic Worker is stopped at its CPU limit",
  dynamic_end: "A run of a Dynamic Worker ends when its facet is aborted",
  dynamic_abort: "A call of a Dynamic Worker ends when its caller aborts",
  d1_latency: "D1 answers within 500 ms",
  r2_latency: "R2 stores, reads and deletes 1 MiB within 3 s",
  sockets_beside_streams: "A DevTools socket stays open while its object reads 100 MB",
  client_messages: "DevTools messages of 1, 4, 16 and 31 MiB pass both ways through cdp_ws_url",
  client_deliveries: "A client stays connected while its session's events go to a webhook and by OTLP",
  client_reconnect: "A client reconnects to its browser after a deployment",
  log_search: "The log contains no tokens",
} as const;

export type CheckName = keyof typeof CHECKS;

const isCheck = (name: string): name is CheckName => Object.hasOwn(CHECKS, name);

export const CHECK_NAMES = Object.keys(CHECKS).filter(isCheck);
