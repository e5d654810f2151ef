import { notFound, ServiceError, serviceUnavailable } from "../../../lib/common/errors.ts";
import type { Viewport } from "../../../platform/browser/index.ts";
import type { CallerReach } from "../../organizations/index.ts";
import type { CurrentConnections } from "../connections/connections.ts";
import type { SessionReferences } from "../record.ts";
import { requireActive } from "../require-access.ts";
import { NO_ANSWER } from "../sockets.ts";
import type { SessionState } from "../state.ts";
import type { SessionBrowserContext } from "./browser-context.ts";

/** Identifies the lease of a pooled session. */
export interface LeaseHolder extends CallerReach {
  lease: number | undefined;
}

/** Changes a running session. @throws 404 when the session or the lease has ended. */
export class SessionChanges {
  readonly #state: SessionState;
  readonly #connections: CurrentConnections;
  readonly #context: SessionBrowserContext;

  constructor(state: SessionState, connections: CurrentConnections, context: SessionBrowserContext) {
    this.#state = state;
    this.#connections = connections;
    this.#context = context;
  }

  async resize(caller: LeaseHolder, viewport: Viewport, force: boolean): Promise<void> {
    this.#requireLease(caller);
    const connections = this.#connections.current;
    const write = () => {
      // Another lease may have begun.
      if (connections !== this.#connections.current) throw notFound("browser session");
      this.#state.write({ ...requireActive(this.#state.record, caller), viewport });
    };
    await connections.resize(viewport, { force, write }).catch((error) => {
      if (error instanceof ServiceError) throw error;
      connections.watch.checkSoon();
      throw serviceUnavailable(NO_ANSWER, 1, error);
    });
  }

  async changeReferences(caller: LeaseHolder, change: Partial<SessionReferences>): Promise<void> {
    this.#requireLease(caller);
    const { watch } = this.#connections.current;
    try {
      await this.#context.change(change);
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      requireActive(this.#state.record, caller);
      watch.checkSoon();
      throw serviceUnavailable("The session's browser did not take the whole change; try again", 1, error);
    }
  }

  #requireLease(caller: LeaseHolder): void {
    if (requireActive(this.#state.record, caller).lease !== caller.lease) throw notFound("browser session");
  }
}
