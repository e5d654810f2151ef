import type { Invocation } from "./object.ts";

/** The object of the invocation with that id. Asking for one costs nothing until it is called. */
export function invocationObject(env: Env, invocationId: string): DurableObjectStub<Invocation> {
  return env.INVOCATION.getByName(invocationId);
}
