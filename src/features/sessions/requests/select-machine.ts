import { describeProblem, ServiceError } from "../../../lib/common/errors.ts";
import type { MachineKind } from "../../../lib/common/machines.ts";
import { readSettings } from "../../../lib/common/settings.ts";

/**
 * @param wanted undefined: the setting's default.
 * @throws ServiceError 501 when nothing offers such a machine.
 */
export function selectMachine(env: Env, wanted: MachineKind | undefined): MachineKind {
  const { defaultMachine, hosts } = readSettings(env);
  const machine = wanted ?? defaultMachine;
  if (machine === "simulated" || hosts.length > 0) return machine;
  const problem = {
    field: "machine",
    message: "linux needs a session host, and the setting HOSTS names none",
  };
  throw new ServiceError("not_implemented", describeProblem(problem), {
    problems: [problem],
    shouldRetry: false,
  });
}
