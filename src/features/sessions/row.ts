import { newIdentifier } from "../../lib/common/identifiers.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import type { Viewport } from "../../platform/browser/index.ts";
import { DEFAULT_CONFIG } from "../telemetry/index.ts";
import type { SessionStart } from "./record.ts";

/** The columns that configure a session's browser. */
type BrowserColumns = Pick<
  BrowserSessionRow,
  | "organizationId"
  | "projectId"
  | "headless"
  | "stealth"
  | "kioskMode"
  | "timeoutSeconds"
  | "viewportWidth"
  | "viewportHeight"
  | "viewportRefreshRate"
  | "startURL"
  | "extensionIds"
  | "proxyId"
  | "profileId"
>;

/** The row of a session in state `starting`, with empty columns where nothing is given. */
export function newSessionRow(given: BrowserColumns & Partial<BrowserSessionRow>): BrowserSessionRow {
  return {
    id: newIdentifier(),
    state: "starting",
    name: null,
    tags: {},
    persistenceId: null,
    createdAt: Date.now(),
    deletedAt: null,
    endReason: null,
    endDetails: null,
    endedByApiKeyId: null,
    poolId: null,
    poolName: null,
    lease: null,
    invocationId: null,
    apiKeyId: null,
    urlGeneration: 0,
    telemetry: null,
    evidence: null,
    record: false,
    clients: 0,
    viewers: 0,
    idleSince: null,
    region: null,
    ...given,
  };
}

/** What only a session's object knows. */
export interface StartOptions extends Pick<SessionStart, "endsWithConnection" | "maxLifetimeMs"> {
  savesProfile?: boolean;
  /** The organization's share of launches. Default: 1. */
  weight?: number;
}

/** The start parameters of the session's object. */
export function toSessionStart(
  row: BrowserSessionRow,
  { savesProfile = false, weight = 1, ...options }: StartOptions = {},
): SessionStart {
  const viewport = parseViewport(row);
  const telemetry = row.telemetry ?? DEFAULT_CONFIG;
  const { startURL, proxyId, poolId } = row;
  const profile = row.profileId === null ? null : { id: row.profileId, saveChanges: savesProfile };
  return {
    ...options,
    id: row.id,
    organizationId: row.organizationId,
    projectId: row.projectId,
    invocationId: row.invocationId,
    timeoutMs: row.timeoutSeconds * 1000,
    viewport,
    startURL,
    headless: row.headless,
    stealth: row.stealth,
    kiosk: row.kioskMode,
    extensionIds: row.extensionIds,
    proxyId,
    profile,
    urlGeneration: row.urlGeneration,
    telemetry,
    isRecorded: row.record,
    region: row.region,
    weight,
    ...(poolId === null ? {} : { pool: { id: poolId, viewport, startURL, proxyId, profile, telemetry } }),
  };
}

type ViewportColumns = Pick<BrowserSessionRow, "viewportWidth" | "viewportHeight" | "viewportRefreshRate">;

export function parseViewport(row: ViewportColumns): Viewport {
  return { width: row.viewportWidth, height: row.viewportHeight, refreshRate: row.viewportRefreshRate };
}

export function toViewportColumns({ width, height, refreshRate }: Viewport): ViewportColumns {
  return { viewportWidth: width, viewportHeight: height, viewportRefreshRate: refreshRate };
}
