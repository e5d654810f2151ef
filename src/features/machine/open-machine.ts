import { DurableMachine, type Machine } from "durable-machine";
import { logError } from "../../lib/common/log.ts";
import type { Settings } from "../../lib/common/settings.ts";
import { newGuardedFetch } from "../../platform/network/guarded-fetch.ts";
import { outgoingFetch } from "../../platform/network/outgoing-fetch.ts";
import { resolveName } from "../../platform/network/resolve.ts";
import { Uploads } from "./uploads.ts";
import { USERS } from "./users.ts";

const HOST_NAME = "berth";

const MAX_REDIRECTS = 50;
/** Responses are buffered in an isolate of 128 MB. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 300_000;

/** Also removes uploads interrupted by a crash. */
export async function openMachine(
  env: Env,
  storage: DurableObjectStorage,
  settings: Settings,
): Promise<Machine> {
  const machine = new DurableMachine({
    storage,
    identity: { name: HOST_NAME, users: USERS },
    limits: settings.machine,
    fetch: newGuardedFetch({
      fetch: outgoingFetch(env, settings),
      allowPrivateAddresses: settings.allowPrivateAddresses,
      allow: settings.machine.network,
      settingName: "MACHINE_NETWORK",
      resolve: resolveName,
      maxRedirects: MAX_REDIRECTS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      timeoutMs: REQUEST_TIMEOUT_MS,
    }),
    onError: (event, error) => logError(event, error),
  });
  await machine.open();
  await Uploads.clear(machine.files);
  return machine;
}
