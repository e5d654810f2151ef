import { endMachine, HostError, RemoteMachine } from "session-host/client";
import { notFound, ServiceError } from "../../lib/common/errors.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import type { Region } from "../../lib/common/regions.ts";
import { readSettings } from "../../lib/common/settings.ts";
import { recordSessionUsage } from "../usage/index.ts";
import { chooseHosts, type Host } from "./choose-hosts.ts";
import { addressOf } from "./host-address.ts";

const KEY = "hosted";

const HOUR_MS = 3_600_000;

/** Where the machine runs. A session has one machine; one that is lost is not replaced by an empty one. */
interface Hosted {
  host: string;
  id: string;
  startedAt: number;
  /** In US dollars. */
  pricePerHour: number;
}

interface HostedOwner {
  sessionId: string;
  organizationId: string;
  region?: Region | null;
  lease?: number | null;
}

/**
 * The session's machine on a session host. The first use starts it.
 *
 * @throws HostError if it has been lost.
 * @throws ServiceError 503 if no host has room.
 */
export async function openHostedMachine(
  env: Env,
  storage: DurableObjectStorage,
  owner: HostedOwner,
  isEnded: () => boolean,
): Promise<RemoteMachine> {
  const settings = readSettings(env);
  const hosted = storage.kv.get<Hosted>(KEY);
  if (hosted !== undefined) return await resume(env, owner, hosted);
  const reasons: string[] = [];
  for (const host of chooseHosts(settings.hosts, owner.region ?? null)) {
    // The next lease must not find a machine of this one.
    if (isEnded()) throw notFound("browser session");
    const id = crypto.randomUUID();
    // Before it starts, so that the session's end also ends a machine whose start was interrupted.
    const hosted = { host: host.name, id, startedAt: Date.now(), pricePerHour: host.price_per_hour };
    storage.kv.put<Hosted>(KEY, hosted);
    let machine: RemoteMachine | undefined;
    try {
      machine = toRemote(env, owner, host, id);
      await machine.open();
      logEvent("machine_hosted", { session_id: owner.sessionId, host: host.name, machine_id: id });
      return machine;
    } catch (error) {
      logError("host_refused_machine", error, { session_id: owner.sessionId, host: host.name });
      const isRefused = error instanceof HostError && error.status !== 0;
      reasons.push(`${host.name}: ${error instanceof HostError ? error.message : "it gave no valid answer"}`);
      // Otherwise it may have started.
      if (!isRefused) await machine?.close().catch(() => undefined);
    }
  }
  // After the end, it is that of the next lease.
  if (!isEnded()) storage.kv.delete(KEY);
  throw new ServiceError("service_unavailable", `No session host starts a machine (${reasons.join("; ")})`, {
    retryAfterSeconds: 5,
  });
}

/** @returns undefined if the session has no machine on a host. */
export function readHosted(storage: DurableObjectStorage): Hosted | undefined {
  return storage.kv.get<Hosted>(KEY);
}

/** Ends a machine and counts its time. Rejects if its host does not answer. */
export async function endHostedMachine(env: Env, sessionId: string, hosted: Hosted): Promise<void> {
  const linuxMs = Date.now() - hosted.startedAt;
  const linuxMicrodollars = Math.round((linuxMs / HOUR_MS) * hosted.pricePerHour * 1_000_000);
  await recordSessionUsage(env, sessionId, { linuxMs, linuxMicrodollars });
  const host = readSettings(env).hosts.find(({ name }) => name === hosted.host);
  if (host !== undefined) await endMachine(addressOf(env, host, hosted.id), hosted.id);
}

/** What a caller is told when a host fails or has lost the machine. */
export function toHostRefusal(error: HostError): ServiceError {
  const { message, code } = error;
  if (code === "machine_ended" || code === "machine_not_found")
    return new ServiceError("gone", `The session's machine has ended: ${message}`, {
      shouldRetry: false,
      cause: error,
    });
  return new ServiceError("service_unavailable", `The session's machine does not answer: ${message}`, {
    cause: error,
  });
}

async function resume(env: Env, owner: HostedOwner, hosted: Hosted): Promise<RemoteMachine> {
  const host = readSettings(env).hosts.find(({ name }) => name === hosted.host);
  if (host === undefined)
    throw new HostError(`the host ${hosted.host} is no longer configured`, {
      status: 0,
      code: "machine_ended",
    });
  const machine = toRemote(env, owner, host, hosted.id);
  await machine.resume();
  return machine;
}

function toRemote(env: Env, owner: HostedOwner, host: Host, id: string): RemoteMachine {
  const settings = readSettings(env);
  const { fileQuotaBytes, processes, processOutputBytes, network } = settings.machine;
  const { memory_mebibytes, cpus, tasks, files } = host.limits;
  return new RemoteMachine({
    host: addressOf(env, host, id),
    id,
    limits: {
      fileBytes: fileQuotaBytes,
      files,
      processes,
      tasks,
      memoryBytes: memory_mebibytes * 2 ** 20,
      cpus,
      outputBytes: processOutputBytes,
    },
    network: { access: network, allowPrivateAddresses: settings.allowPrivateAddresses },
    labels: labelsOf(owner),
  });
}

/** By these the sweep recognizes the machines of sessions and leases that have ended. */
function labelsOf({ sessionId, organizationId, lease }: HostedOwner): Record<string, string> {
  return { session: sessionId, organization: organizationId, lease: String(lease ?? "") };
}
