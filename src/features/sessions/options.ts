import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import type { sessionOptionColumns } from "../../lib/database/schema/session-options.ts";
import type { Viewport } from "../../platform/browser/index.ts";
import type { OptionChange, OptionFields } from "./schema.ts";

/** What a caller chose for a session's browser, or for those of a pool, as columns. */
export type SessionOptions = Pick<BrowserSessionRow, keyof ReturnType<typeof sessionOptionColumns>>;

/** The options that the session's object uses as they are. */
export type StartedOptions = Pick<
  SessionOptions,
  "headless" | "stealth" | "kioskMode" | "startURL" | "extensionIds" | "proxyId" | "region" | "machine"
>;

export function toStartedOptions(row: SessionOptions): StartedOptions {
  const { headless, stealth, kioskMode, startURL, extensionIds, proxyId, region, machine } = row;
  return { headless, stealth, kioskMode, startURL, extensionIds, proxyId, region, machine };
}

/** Columns for the fields of a new session or pool, except references to other resources. */
export function toOptionColumns(body: OptionFields) {
  return {
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    timeoutSeconds: body.timeout_seconds,
    ...toViewportColumns(body.viewport),
    startURL: body.start_url || null,
    record: body.record ?? false,
    region: body.region ?? null,
  };
}

/** The columns that a change of a pool's fields has; others are undefined or absent. */
export function toChangedOptionColumns(body: OptionChange) {
  return {
    headless: body.headless,
    stealth: body.stealth,
    kioskMode: body.kiosk_mode,
    timeoutSeconds: body.timeout_seconds,
    ...(body.viewport === undefined ? {} : toViewportColumns(body.viewport)),
    ...(body.start_url === undefined ? {} : { startURL: body.start_url || null }),
    record: body.record,
  };
}

/** The fields of a response. */
export function presentOptions(row: SessionOptions) {
  return {
    headless: row.headless,
    stealth: row.stealth,
    kiosk_mode: row.kioskMode,
    timeout_seconds: row.timeoutSeconds,
    viewport: { width: row.viewportWidth, height: row.viewportHeight, refresh_rate: row.viewportRefreshRate },
    start_url: row.startURL ?? undefined,
    proxy_id: row.proxyId ?? undefined,
    record: row.record,
    region: row.region ?? undefined,
    machine: row.machine,
  };
}

type ViewportColumns = Pick<SessionOptions, "viewportWidth" | "viewportHeight" | "viewportRefreshRate">;

export function readViewport(row: ViewportColumns): Viewport {
  return { width: row.viewportWidth, height: row.viewportHeight, refreshRate: row.viewportRefreshRate };
}

export function toViewportColumns({ width, height, refreshRate }: Viewport): ViewportColumns {
  return { viewportWidth: width, viewportHeight: height, viewportRefreshRate: refreshRate };
}
