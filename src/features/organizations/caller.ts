import { ServiceError } from "../../lib/common/errors.ts";
import type { ProjectScope } from "../../lib/database/project-scope.ts";
import type { UnknownFieldsVariables } from "../../lib/http/unknown-fields.ts";
import type { KeyRights } from "./api-keys/rights.ts";
import type { ConsoleSession } from "./console-session.ts";

export type Caller = APIKeyCaller | RunCaller;

interface KeyHolder extends ProjectScope {
  organizationDisabled: boolean;
  /** Milliseconds since the epoch; null: the key never expires. */
  expiresAt: number | null;
  /** Null: the service's default. */
  maxConcurrentSessions: number | null;
  /** Whether the projects or the budget of the organization, or the key, have limits of their own. */
  hasOwnLimits: boolean;
  /** The organization's share of browser launches. */
  weight: number;
}

export interface APIKeyCaller extends KeyHolder {
  scope: "organization";
  keyId: string;
  keyName: string;
  invocationId: null;
  rights: KeyRights;
}

export interface RunCaller extends KeyHolder {
  scope: "invocation";
  invocationId: string;
}

export interface Run extends ProjectScope {
  invocationId: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Verifies the keys of runs. They are signed and stored nowhere. */
export interface RunKeyVerifier {
  read(env: Env, key: string): Promise<Run | undefined>;
  /** Whether the organization's invocation is unfinished. */
  isActive(env: Env, run: Omit<Run, "expiresAt">): Promise<boolean>;
}

export function apiKeyOf(caller: Caller): string | null {
  return caller.scope === "organization" ? caller.keyId : null;
}

/** Whether a caller may have addresses that control a browser. */
export function mayControl(caller: Caller): boolean {
  return caller.scope === "invocation" || caller.rights.access !== "read";
}

/** @throws ServiceError 403 unless the caller has an API key. */
export function requireAPIKey(caller: Caller): APIKeyCaller {
  if (caller.scope === "organization") return caller;
  throw new ServiceError("forbidden", "This requires an API key");
}

export interface CallerEnv {
  Bindings: Env;
  Variables: UnknownFieldsVariables & {
    caller: Caller;
    sessionId?: string;
    consoleSession?: ConsoleSession;
  };
}
