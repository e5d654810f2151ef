import type { Outcome } from "../../common/outcome.ts";
import type { MachineCaller, SessionMachine } from "../../machine/index.ts";
import { callSession, type SessionReference } from "./call-session.ts";

/** The machine of a session, and what its calls need to know of who makes them. */
export interface MachineOfSession {
  stub: DurableObjectStub<SessionMachine>;
  caller: MachineCaller;
}

/** The object behind the machine of the session with that id. Asking for one costs nothing until it is called. */
export function machineObject(env: Env, sessionId: string): DurableObjectStub<SessionMachine> {
  return env.SESSION_MACHINE.getByName(sessionId);
}

/**
 * Calls the machine of the session that a path names.
 *
 * @param call may be made a second time where a name has the form of an id.
 * @throws ServiceError 404 when no active session within the caller's reach has that id or name, and what `call`
 * is refused with.
 */
export function callMachine<T>(
  env: Env,
  reference: SessionReference,
  call: (machine: MachineOfSession) => Promise<Outcome<T>>,
): Promise<T> {
  return callSession(env, reference, (sessionId) =>
    call({
      stub: machineObject(env, sessionId),
      caller: { ...reference.caller, sessionId },
    }),
  );
}

/** The machine of the session that a path names, for calls with a stream, which can be made only once. */
export function findMachine(env: Env, reference: SessionReference): Promise<MachineOfSession> {
  return callMachine(env, reference, async (machine) => {
    using files = await machine.stub.files(machine.caller);
    const outcome = await files.check();
    return outcome.ok ? { ok: true, value: machine } : outcome;
  });
}
