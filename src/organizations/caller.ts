import { ServiceError } from "../common/errors.ts";

/** Who is calling, as a valid key says. */
export type Caller = APIKeyCaller | RunCaller;

interface KeyHolder {
  organizationId: string;
  organizationDisabled: boolean;
  /** When the key is good no more, in milliseconds since the epoch; null: never. */
  expiresAt: number | null;
}

/** Somebody with an API key, who reaches everything of the organization. */
export interface APIKeyCaller extends KeyHolder {
  scope: "organization";
  keyId: string;
  invocationId: null;
}

/** A run of an app, with a key of its own: it reaches its invocation, and what belongs to that. */
export interface RunCaller extends KeyHolder {
  scope: "invocation";
  invocationId: string;
}

/** An invocation whose code runs, as its key names it. */
export interface Run {
  organizationId: string;
  invocationId: string;
  /** When its key is good no more, in milliseconds since the epoch. */
  expiresAt: number;
}

/** What there is to know here of the keys of runs, which are made elsewhere and stored nowhere. */
export interface KeysOfRuns {
  /** What a key says; undefined unless it is one of a run, and in time. */
  read(env: Env, key: string): Promise<Run | undefined>;
  /** Whether the invocation is the organization's and has not finished. Asked at each call. */
  isUnderWay(env: Env, run: Omit<Run, "expiresAt">): Promise<boolean>;
}

/** The API key that a call is made with; null: the key of a run. */
export function apiKeyOf(caller: Caller): string | null {
  return caller.scope === "organization" ? caller.keyId : null;
}

/** @throws ServiceError 403 unless the caller has an API key. */
export function requireAPIKey(caller: Caller): APIKeyCaller {
  if (caller.scope === "organization") return caller;
  throw new ServiceError("forbidden", "This is done with an API key only");
}

/** The environment of every route that wants a key. */
export interface CallerEnv {
  Bindings: Env;
  Variables: {
    caller: Caller;
    /** The session that a call turned out to be about; for the log. */
    sessionId?: string;
  };
}
