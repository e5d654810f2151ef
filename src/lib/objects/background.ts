/** Lets work continue after its caller has returned. */
export interface Background {
  readonly env: Env;
  waitUntil(work: Promise<unknown>): void;
}
