import type { IconName } from "../ui/icon.tsx";
import type { Identity } from "./identity.ts";

interface Group {
  label: string;
  /** Their paths, labels and icons. */
  entries: readonly (readonly [string, string, IconName])[];
}

const ORGANIZATION: readonly Group[] = [
  {
    label: "Browsers",
    entries: [
      ["/console", "Overview", "overview"],
      ["/console/sessions", "Sessions", "sessions"],
      ["/console/recordings", "Recordings", "recordings"],
      ["/console/pools", "Pools", "pools"],
      ["/console/profiles", "Profiles", "profiles"],
      ["/console/proxies", "Proxies", "proxies"],
      ["/console/extensions", "Extensions", "extensions"],
    ],
  },
  {
    label: "Apps",
    entries: [
      ["/console/apps", "Apps", "apps"],
      ["/console/deployments", "Deployments", "deployments"],
      ["/console/invocations", "Invocations", "invocations"],
    ],
  },
  {
    label: "Organization",
    entries: [
      ["/console/projects", "Projects", "folder"],
      ["/console/api-keys", "API keys", "keys"],
      ["/console/usage", "Usage and cost", "usage"],
      ["/console/webhooks", "Webhooks", "webhooks"],
      ["/console/audit", "Audit log", "audit"],
    ],
  },
];

const OPERATOR: readonly Group[] = [
  {
    label: "Operator",
    entries: [
      ["/console", "Organizations", "organizations"],
      ["/console/all-sessions", "All sessions", "sessions"],
      ["/console/browsers", "Browsers", "overview"],
      ["/console/usage", "Usage and cost", "usage"],
      ["/console/capabilities", "Capabilities", "capabilities"],
      ["/console/settings", "Settings", "settings"],
    ],
  },
];

export function navigationFor(identity: Identity): readonly Group[] {
  return identity.kind === "operator" ? OPERATOR : ORGANIZATION;
}

/** Whether an entry leads to the page at a path, or to the list that it belongs to. */
export function isCurrent(href: string, path: string): boolean {
  if (href === "/console") return path === "/console" || path === "/console/";
  return path === href || path.startsWith(`${href}/`);
}
