import { RpcTarget } from "cloudflare:workers";
import { badRequest, ServiceError, serviceUnavailable } from "../../../lib/common/errors.ts";
import { logError } from "../../../lib/common/log.ts";
import { type Outcome, settle } from "../../../lib/common/outcome.ts";
import { ProtocolError } from "../../../platform/browser/index.ts";
import type { Rectangle } from "../../../platform/page-scripts/drawing.ts";
import {
  type Computer,
  type ComputerAction,
  InvalidInputError,
  PageUnresponsiveError,
} from "../../computer/index.ts";
import type { SessionConnections } from "./connections.ts";

/** A session's computer for one caller. Callers validate the input's shape. */
export class SessionComputer extends RpcTarget {
  readonly #connections: SessionConnections;
  readonly #requireUsable: () => Promise<void>;

  /** @param requireUsable throws a ServiceError when the caller may not use the session. */
  constructor(connections: SessionConnections, requireUsable: () => Promise<void>) {
    super();
    this.#connections = connections;
    this.#requireUsable = requireUsable;
  }

  perform(action: ComputerAction): Promise<Outcome<void>> {
    return this.#run((computer) => computer.perform([action]));
  }

  performBatch(actions: ComputerAction[]): Promise<Outcome<void>> {
    return this.#run((computer) =>
      computer.perform(actions, (index, field) => `actions.${index}.${actions[index]?.type}.${field}`),
    );
  }

  screenshot(region: Rectangle | undefined): Promise<Outcome<Uint8Array>> {
    return this.#run((computer) => computer.screenshot(region));
  }

  mousePosition(): Promise<Outcome<{ x: number; y: number }>> {
    return this.#run((computer) =>
      computer.inOrder(async () => {
        const [x, y] = computer.mouse.position;
        return { x, y };
      }),
    );
  }

  readClipboard(): Promise<Outcome<string>> {
    return this.#run((computer) => computer.readClipboard());
  }

  writeClipboard(text: string): Promise<Outcome<void>> {
    return this.#run((computer) => computer.writeClipboard(text));
  }

  #run<T>(command: (computer: Computer) => Promise<T>): Promise<Outcome<T>> {
    const { activity, computer, handoffs, identity, watch } = this.#connections;
    return settle(async () => {
      await this.#requireUsable();
      using _use = activity.begin();
      await handoffs.requireAgentMayAct();
      await this.#requireUsable();
      try {
        return await command(computer);
      } catch (error) {
        // If the session has ended meanwhile, that is the better explanation.
        await this.#requireUsable();
        const refusal = toComputerError(error);
        if (refusal.cause !== undefined) logError("computer_command_failed", refusal.cause, identity);
        // The browser may be lost.
        if (refusal.code === "service_unavailable" && refusal.shouldRetry !== false) watch.checkSoon();
        throw refusal;
      }
    });
  }
}

function toComputerError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof InvalidInputError) return badRequest({ field: error.field, message: error.message });
  if (error instanceof PageUnresponsiveError) {
    // The page may have handled the input, so clients must not retry.
    return new ServiceError("service_unavailable", error.message, { shouldRetry: false });
  }
  if (error instanceof ProtocolError) {
    return new ServiceError("service_unavailable", "The browser could not carry this out", {
      shouldRetry: false,
      cause: error,
    });
  }
  return serviceUnavailable("The session's browser does not answer", 1, error);
}
