import { RpcTarget } from "cloudflare:workers";
import { ProtocolError } from "../browser/index.ts";
import { badRequest, ServiceError, serviceUnavailable } from "../common/errors.ts";
import type { Outcome } from "../common/outcome.ts";
import type { Rectangle } from "../page-scripts/drawing.ts";
import type { ComputerAction } from "./actions.ts";
import type { Computer } from "./computer.ts";
import { InvalidInputError, PageUnresponsiveError } from "./errors.ts";

export type RunCommand = <T>(command: (computer: Computer) => T | Promise<T>) => Promise<Outcome<T>>;

/** A session's computer for other Workers and objects. Callers validate the input's shape. */
export class SessionComputer extends RpcTarget {
  readonly #run: RunCommand;

  constructor(run: RunCommand) {
    super();
    this.#run = run;
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
}

export function toComputerError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof InvalidInputError) return badRequest({ field: error.field, message: error.message });
  if (error instanceof PageUnresponsiveError) {
    // The page may have taken the input, so clients must not retry.
    return new ServiceError("service_unavailable", error.message, { shouldRetry: false });
  }
  if (error instanceof ProtocolError) {
    return new ServiceError("service_unavailable", "The browser did not carry this out", {
      shouldRetry: false,
      cause: error,
    });
  }
  return serviceUnavailable("The session's browser does not answer", 1, error);
}
