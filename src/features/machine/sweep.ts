import { endMachine, listMachines } from "session-host/client";
import { forEachLogged } from "../../lib/common/concurrency.ts";
import { logEvent } from "../../lib/common/log.ts";
import { readSettings } from "../../lib/common/settings.ts";

/** A session's index row may be written later than its machine starts. */
const GRACE_MS = 120_000;

/** Whether a machine's session, or lease, has ended; undefined if the session is not of this deployment. */
export type HasEnded = (session: string, lease: string) => boolean | undefined;

/**
 * Ends the machines that outlived their sessions, for example because their host did not answer. Machines of other
 * deployments on the same hosts are not touched.
 *
 * @param readSessions finds out about the sessions with these ids.
 */
export async function sweepMachines(
  env: Env,
  now: number,
  readSessions: (ids: string[]) => Promise<HasEnded>,
): Promise<void> {
  // A container looks after itself.
  const hosts = readSettings(env).hosts.flatMap((host) => (host.url ? { ...host, url: host.url } : []));
  await forEachLogged("host_not_swept", hosts, async (host) => {
    const machines = await listMachines(host);
    const old = machines.filter(({ started_at }) => now - Date.parse(started_at) > GRACE_MS);
    const hasEnded = await readSessions(old.flatMap(({ labels }) => labels.session ?? []));
    const orphaned = old.filter(({ labels }) => hasEnded(labels.session ?? "", labels.lease ?? "") === true);
    await forEachLogged("machine_not_ended", orphaned, async ({ id, labels }) => {
      await endMachine(host, id);
      logEvent("orphaned_machine_ended", { session_id: labels.session, host: host.name, machine_id: id });
    });
  });
}
