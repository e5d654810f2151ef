/** Who is calling: what a valid API key says. */
export interface Caller {
  organizationId: string;
  keyId: string;
  scope: "organization";
  /** Milliseconds since the epoch; null: never. */
  expiresAt: number | null;
  organizationDisabled: boolean;
}

/** The environment of every route that wants an API key. */
export interface CallerEnv {
  Bindings: Env;
  Variables: {
    caller: Caller;
    /** The session that a call turned out to be about; for the log. */
    sessionId?: string;
  };
}
