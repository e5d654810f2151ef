const PATHS = {
  overview: "M3 3h6v7H3zM11 3h6v4h-6zM11 9h6v8h-6zM3 12h6v5H3z",
  sessions: "M2.5 4h15v12h-15zM2.5 7.5h15M5 5.8h.01M7 5.8h.01",
  recordings: "M2.5 5.5h10v9h-10zM12.5 9l5-3v8l-5-3",
  pools:
    "M3 6c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3zM3 6v8c0 1.7 3.1 3 7 3s7-1.3 7-3V6M3 10c0 1.7 3.1 3 7 3s7-1.3 7-3",
  profiles: "M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3.5 17c.5-3.2 3-5 6.5-5s6 1.8 6.5 5",
  proxies:
    "M3 10h14M10 3c2.5 2 3.5 4.4 3.5 7s-1 5-3.5 7c-2.5-2-3.5-4.4-3.5-7s1-5 3.5-7zM10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14z",
  extensions: "M8 4a2 2 0 1 1 4 0v1h4v4h-1a2 2 0 1 0 0 4h1v4H4V5h4z",
  apps: "M4 4h5v5H4zM11 4h5v5h-5zM4 11h5v5H4zM13.5 11v5M11 13.5h5",
  deployments: "M10 13V3m-4 4 4-4 4 4M3 12v5h14v-5",
  invocations: "M6 4l10 6-10 6z",
  keys: "M12.5 12a4.5 4.5 0 1 0-4.3-3.2L3 14v3h3v-2h2v-2l1.2-1.2c1 .2 2.2.2 3.3.2zM13.5 6.5h.01",
  usage: "M3 17V9m5 8V3m5 14v-6m4 6V6",
  webhooks: "M4 10h9m-3.5-4L13 10l-3.5 4M16 4v12",
  audit: "M5 3h10v14H5zM8 7h4M8 10h4M8 13h2",
  organizations: "M3 17V5l7-2v14M10 8h7v9M3 17h14M6 8h1M6 11h1M6 14h1M13 11h1M13 14h1",
  capabilities: "m3 5 1.5 1.5L7 4M10 5.5h7m-14 5L4.5 12 7 9.5m3 1.5h7m-14 5L4.5 17.5 7 15m3 1.5h7",
  settings: "M4 6h7m4 0h1M4 14h1m4 0h7M13 4v4M7 12v4",
  close: "m5 5 10 10M15 5 5 15",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  menu: "M3 5h14M3 10h14M3 15h14",
  copy: "M7 7h9v10H7zM13 7V4H4v10h3",
  check: "m4 10.5 4 4 8-9",
  search: "M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13.2 13.2 17 17",
  file: "M5 3h7l3 3v11H5zM12 3v4h3",
  folder: "M3 5h5l2 2h7v9H3z",
  warning: "M10 3 2.5 16.5h15zM10 8v4M10 14.3h.01",
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration only: whatever it stands beside needs a text or a label. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
