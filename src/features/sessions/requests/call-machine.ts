import type { Outcome } from "../../../lib/common/outcome.ts";
import { type MachineCaller, machineObject, type SessionMachine } from "../../machine/index.ts";
import { callSession, type SessionReference } from "./call-session.ts";

export interface MachineHandle {
  stub: DurableObjectStub<SessionMachine>;
  caller: MachineCaller;
}

/** See {@link callSession}. */
export function callMachine<T>(
  env: Env,
  reference: SessionReference,
  call: (machine: MachineHandle) => Promise<Outcome<T>>,
): Promise<T> {
  return callSession(env, reference, (sessionId) =>
    call({
      stub: machineObject(env, sessionId),
      caller: { ...reference.caller, sessionId },
    }),
  );
}

/** For calls with a request stream, which can be made only once. */
export function findMachine(env: Env, reference: SessionReference): Promise<MachineHandle> {
  return callMachine(env, reference, async (machine) => {
    using files = await machine.stub.files(machine.caller);
    const outcome = await files.check();
    return outcome.ok ? { ok: true, value: machine } : outcome;
  });
}
