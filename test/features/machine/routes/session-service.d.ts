import type Kernel from "@onkernel/sdk";
import type { Machine } from "durable-machine";

/** Types of session-service.ts for tests in Node, whose types conflict with those of Workers. */
export class SessionService implements AsyncDisposable {
  readonly sessionId: string;
  readonly kernel: Kernel;
  constructor(options: {
    openMachine: () => Promise<Machine>;
    storage: object;
    settings: Record<string, string>;
  });
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param env what the object uses of it. */
export function newMachineContainer(
  context: object,
  env: object,
): { fetch(request: Request): Promise<Response>; alarm(): Promise<void> };
