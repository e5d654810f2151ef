import { newIdentifier } from "../../lib/common/identifiers.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { BrowserSessionRow } from "../../lib/database/schema/browser-sessions.ts";
import { DEFAULT_CONFIG } from "../telemetry/index.ts";
import { readViewport, type SessionOptions, toStartedOptions } from "./options.ts";
import type { SessionStart } from "./record.ts";

/** The options that have no default. */
type GivenOptions = Omit<SessionOptions, "telemetry" | "record" | "region" | "machine">;

/** The row of a session in state `starting`, with empty columns where nothing is given. */
export function newSessionRow(
  given: GivenOptions & ProjectScope & Partial<BrowserSessionRow>,
): BrowserSessionRow {
  return {
    id: newIdentifier(),
    state: "starting",
    name: null,
    tags: {},
    persistenceId: null,
    standbyMs: 0,
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
    handoffs: null,
    idleSince: null,
    region: null,
    machine: "simulated",
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
  const viewport = readViewport(row);
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
    ...toStartedOptions(row),
    profile,
    urlGeneration: row.urlGeneration,
    telemetry,
    isRecorded: row.record,
    weight,
    ...(poolId === null ? {} : { pool: { id: poolId, viewport, startURL, proxyId, profile, telemetry } }),
  };
}
