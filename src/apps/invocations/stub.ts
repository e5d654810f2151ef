import type { Invocation } from "./object.ts";

export function invocationObject(env: Env, invocationId: string): DurableObjectStub<Invocation> {
  return env.INVOCATION.getByName(invocationId);
}
