import type { IconName } from "../ui/icon.tsx";
import type { Identity } from "./identity.ts";

interface Entry {
  href: string;
  label: string;
  icon: IconName;
}

interface Group {
  label: string;
  entries: readonly Entry[];
}

const ORGANIZATION: readonly Group[] = [
  {
    label: "Browsers",
    entries: [
      { href: "/console", label: "Overview", icon: "overview" },
      { href: "/console/sessions", label: "Sessions", icon: "sessions" },
      { href: "/console/pools", label: "Pools", icon: "pools" },
      { href: "/console/profiles", label: "Profiles", icon: "profiles" },
      { href: "/console/proxies", label: "Proxies", icon: "proxies" },
      { href: "/console/extensions", label: "Extensions", icon: "extensions" },
    ],
  },
  {
    label: "Apps",
    entries: [
      { href: "/console/apps", label: "Apps", icon: "apps" },
      { href: "/console/deployments", label: "Deployments", icon: "deployments" },
      { href: "/console/invocations", label: "Invocations", icon: "invocations" },
    ],
  },
  {
    label: "Organization",
    entries: [
      { href: "/console/api-keys", label: "API keys", icon: "keys" },
      { href: "/console/usage", label: "Limits and use", icon: "usage" },
      { href: "/console/webhooks", label: "Webhooks", icon: "webhooks" },
      { href: "/console/audit", label: "Audit log", icon: "audit" },
    ],
  },
];

const OPERATOR: readonly Group[] = [
  {
    label: "Operator",
    entries: [
      { href: "/console", label: "Organizations", icon: "organizations" },
      { href: "/console/all-sessions", label: "All sessions", icon: "sessions" },
      { href: "/console/browsers", label: "Browsers", icon: "overview" },
      { href: "/console/capabilities", label: "Capabilities", icon: "capabilities" },
      { href: "/console/settings", label: "Settings", icon: "settings" },
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
