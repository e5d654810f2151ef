import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DurableMachine, type Machine } from "durable-machine";
import { RemoteMachine } from "session-host/client";
import { LocalMachine } from "session-host/local-machine";
import { SessionService } from "session-service";
import { experimental_readRawConfig } from "wrangler";
import { Storage } from "../../../../packages/durable-machine/test/storage.ts";
import { HOST_LIMITS, hasSandboxes, startHost } from "../../../../packages/session-host/test/host.ts";
import { ROOT } from "../../../../scripts/local/paths.ts";
import { USERS } from "../../../../src/features/machine/users.ts";

const MEBIBYTE = 2 ** 20;

const LIMITS = { fileQuotaBytes: 64 * MEBIBYTE, processOutputBytes: MEBIBYTE, processes: 16 };

/** A session's file and process routes over one of the engines. Callers must end it. */
export interface TestSession {
  service: SessionService;
  end(): Promise<void>;
}

/** The part of a Durable Object's storage that the machine's object uses. */
export class ObjectStorage extends Storage {
  readonly #values = new Map<string, unknown>();

  readonly kv = {
    get: (key: string) => this.#values.get(key),
    put: (key: string, value: unknown) => void this.#values.set(key, value),
  };

  async setAlarm(): Promise<void> {}

  async deleteAlarm(): Promise<void> {}

  override deleteAll(): void {
    this.#values.clear();
    super.deleteAll();
  }
}

const { rawConfig } = experimental_readRawConfig({ config: join(ROOT, "wrangler.toml") });
const SETTINGS = Object.fromEntries(
  Object.entries(rawConfig.vars ?? {}).map(([name, value]) => [name, String(value)]),
);

async function open(
  machine: Machine,
  storage: ObjectStorage,
  cleanUp?: () => void | Promise<void>,
): Promise<TestSession> {
  await machine.open();
  const service = new SessionService({ openMachine: async () => machine, storage, settings: SETTINGS });
  return {
    service,
    async end() {
      await service[Symbol.asyncDispose]();
      storage[Symbol.dispose]();
      await cleanUp?.();
    },
  };
}

/** A sandbox of a session host, over HTTP. */
async function openHosted(): Promise<TestSession> {
  const host = await startHost();
  const machine = new RemoteMachine({
    host,
    id: "machine",
    limits: { ...HOST_LIMITS, fileBytes: LIMITS.fileQuotaBytes, processes: 16, outputBytes: MEBIBYTE },
    network: { access: "none", allowPrivateAddresses: false },
    labels: {},
  });
  return await open(machine, new ObjectStorage(), () => host.close());
}

export const ENGINES: Record<string, () => Promise<TestSession>> = {
  "durable-machine": () => {
    const storage = new ObjectStorage();
    const machine = new DurableMachine({
      storage,
      identity: { name: "test", users: USERS },
      limits: LIMITS,
      fetch: () => Promise.reject(new Error("no network in tests")),
      onError: (event, error) => console.error(event, error),
    });
    return open(machine, storage);
  },
  "Node's files and processes": () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "machine-")));
    const machine = new LocalMachine({ root, limit: 16, environment: {}, switchesUser: false });
    return open(machine, new ObjectStorage(), () => rmSync(root, { recursive: true }));
  },
  // CI may run where the kernel offers no namespaces.
  ...(hasSandboxes && { "a session host": openHosted }),
};
