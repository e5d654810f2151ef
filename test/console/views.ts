import type { Page } from "@playwright/test";
import type { Demo } from "./demo.ts";

export interface View {
  /** Name of its screenshots. */
  name: string;
  path: string;
  /** A text that it shows once its data has loaded. */
  shows: string | RegExp;
  /** Opens a dialog. */
  open?: (page: Page) => Promise<void>;
}

const SESSION_TABS = [
  "timeline",
  "network",
  "console",
  "connect",
  "tabs",
  "files",
  "terminal",
  "clipboard",
  "details",
];

export function organizationViews({ ids }: Demo): View[] {
  const session = `/console/sessions/${ids.active}`;
  return [
    { name: "overview", path: "/console", shows: "checkout" },
    {
      name: "palette",
      path: "/console",
      shows: "checkout",
      open: (page) => page.keyboard.press("ControlOrMeta+k"),
    },
    { name: "keys", path: "/console", shows: "checkout", open: (page) => page.keyboard.press("?") },
    { name: "sessions", path: "/console/sessions?status=all", shows: "nightly-check" },
    { name: "sessions-grid", path: "/console/sessions?view=grid", shows: "checkout" },
    { name: "new-session", path: "/console/sessions/new", shows: "kernel.browsers.create" },
    { name: "new-session-advanced", path: "/console/sessions/new?stealth=on", shows: "Fewer signs" },
    { name: "recordings", path: "/console/recordings", shows: "nightly-check" },
    { name: "sessions-ended", path: "/console/sessions?status=deleted", shows: "nightly-check" },
    ...SESSION_TABS.map((tab) => ({
      name: `session-${tab}`,
      path: `${session}?tab=${tab}`,
      shows: "checkout",
    })),
    { name: "session-ended", path: `/console/sessions/${ids.ended}`, shows: "nightly-check" },
    { name: "pools", path: "/console/pools", shows: "warm" },
    { name: "new-pool", path: "/console/pools/new", shows: "New pool" },
    { name: "pool", path: `/console/pools/${ids.pool}`, shows: "warm" },
    { name: "profiles", path: "/console/profiles", shows: "shop-login" },
    { name: "profile", path: `/console/profiles/${ids.profile}`, shows: "visits" },
    { name: "proxies", path: "/console/proxies", shows: "office" },
    { name: "new-proxy", path: "/console/proxies/new", shows: "New proxy" },
    { name: "proxy", path: `/console/proxies/${ids.proxy}`, shows: "office" },
    { name: "extensions", path: "/console/extensions", shows: "price-tags" },
    { name: "extension", path: `/console/extensions/${ids.extension}`, shows: "price-tags" },
    { name: "apps", path: "/console/apps", shows: "check-price" },
    { name: "deployments", path: "/console/deployments", shows: /running/i },
    { name: "deployment", path: `/console/deployments/${ids.deployment}`, shows: "check-price" },
    { name: "invocations", path: "/console/invocations", shows: "check-price" },
    { name: "new-invocation", path: "/console/invocations/new", shows: "New invocation" },
    { name: "invocation", path: `/console/invocations/${ids.invocation}`, shows: "EUR" },
    {
      name: "invocation-failed",
      path: `/console/invocations/${ids.failed}`,
      shows: "The shop did not answer",
    },
    { name: "api-keys", path: "/console/api-keys", shows: "first key" },
    { name: "usage", path: "/console/usage?group=tag", shows: "pricing" },
    { name: "projects", path: "/console/projects", shows: "staging" },
    { name: "project", path: `/console/projects/${ids.project}`, shows: "staging" },
    { name: "webhooks", path: "/console/webhooks", shows: "/hook" },
    { name: "webhook", path: `/console/webhooks/${ids.webhook}`, shows: "/hook" },
    {
      name: "webhook-payload",
      path: `/console/webhooks/${ids.webhook}`,
      shows: "session.ended",
      open: (page) =>
        page
          .getByRole("button", { name: /^Payload/ })
          .first()
          .click(),
    },
    { name: "audit", path: "/console/audit?method=change", shows: "POST /browsers" },
    { name: "not-found", path: "/console/nothing", shows: "This page does not exist" },
  ];
}

export function operatorViews(organizationId: string): View[] {
  return [
    { name: "organizations", path: "/console", shows: "test organization" },
    { name: "organization", path: `/console/organizations/${organizationId}`, shows: "test organization" },
    { name: "all-sessions", path: "/console/all-sessions", shows: "checkout" },
    { name: "browsers", path: "/console/browsers", shows: "Browsers" },
    { name: "service-usage", path: "/console/usage", shows: "test organization" },
    { name: "capabilities", path: "/console/capabilities", shows: "d1_latency" },
    { name: "settings", path: "/console/settings", shows: "MAX_CONCURRENT_SESSIONS" },
  ];
}
