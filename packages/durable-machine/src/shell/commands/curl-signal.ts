import type { Invocation } from "./invocation.ts";

/** Aborted when the process dies, or when whoever runs the command has it end. */
export function signalOf({ context, environment }: Invocation): AbortSignal {
  return context.signal ? AbortSignal.any([context.signal, environment.signal]) : environment.signal;
}
