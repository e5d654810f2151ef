import { DurableObject } from "cloudflare:workers";
import type { Machine } from "durable-machine";
import { HostError } from "session-host/client";
import { isStorageFull, notFound, ServiceError, storageFull } from "../../lib/common/errors.ts";
import { logError, logEvent } from "../../lib/common/log.ts";
import type { MachineKind } from "../../lib/common/machines.ts";
import { type Outcome, settle, unwrap } from "../../lib/common/outcome.ts";
import type { Region } from "../../lib/common/regions.ts";
import { readSettings, type Settings } from "../../lib/common/settings.ts";
import { Deadlines } from "../../lib/objects/deadlines.ts";
import { type CallerReach, isWithinReach } from "../organizations/index.ts";

import { BrowserFiles } from "./browser-files.ts";
import { FileCalls } from "./file-calls.ts";
import { FileWatches } from "./file-watches.ts";
import { endHostedMachine, openHostedMachine, readHosted, toHostRefusal } from "./hosted-machine.ts";
import { openMachine } from "./open-machine.ts";
import { type Execution, ProcessCalls } from "./process-calls.ts";
import { SessionUse } from "./session-use.ts";
import { SpawnedProcesses } from "./spawned-processes.ts";

const OWNER_KEY = "owner";

/** The platform evicts an idle object; the alarm prevents it while a spawned process runs. */
const AWAKE_INTERVAL_MS = 8000;

export interface MachineCaller extends CallerReach {
  sessionId: string;
}

/** What the session knows of its machine. */
export interface MachineChoice {
  invocationId: string | null;
  machine: MachineKind;
  region: Region | null;
  /** The current lease of a pooled session. */
  lease: number | null;
}

/** `machine` and `region` are absent in objects of earlier versions. */
type MachineOwner = MachineCaller & Partial<MachineChoice>;

interface MachineParts {
  machine: Machine;
  watches: FileWatches;
  spawned: SpawnedProcesses;
  executing: Map<string, Execution>;
  use: SessionUse;
}

/** One use of the machine, from first call to end. Calls that outlast it must not reach the next one. */
interface Instance {
  owner: MachineOwner | undefined;
  parts: MachineParts | undefined;
  opening: Promise<void> | undefined;
  isEnded: boolean;
  /** Interrupts the calls that are under way. */
  readonly interrupts: Set<() => void>;
}

/**
 * The machine of one session: its files and processes. A separate object, so that a command that exhausts
 * memory or CPU does not cut the browser's connection. Opened by the first call and ended by the session; a
 * pooled session has a new machine for each lease.
 */
export class SessionMachine extends DurableObject<Env> {
  readonly #deadlines: Deadlines<"awake">;
  #instance: Instance;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deadlines = new Deadlines(ctx.storage);
    this.#instance = newInstance(ctx.storage.kv.get<MachineOwner>(OWNER_KEY));
  }

  /** Starts the object where its session runs, before a caller elsewhere does. */
  place(): void {}

  /** Each operation is refused unless the session is the caller's. */
  files(caller: MachineCaller): FileCalls {
    return new FileCalls((work) =>
      this.#serve(caller, ({ machine, watches }, beginUse) =>
        work({ files: machine.files, watches }, beginUse),
      ),
    );
  }

  browserFiles(caller: MachineCaller): BrowserFiles {
    return new BrowserFiles((work) =>
      this.#serve(caller, ({ machine, watches }, beginUse) =>
        work({ files: machine.files, watches }, beginUse),
      ),
    );
  }

  processes(caller: MachineCaller): ProcessCalls {
    return new ProcessCalls((work) =>
      this.#serve(caller, ({ machine, spawned, executing }, beginUse) => {
        const { processMs } = readSettings(this.env).machine;
        const onSpawned = () => this.ctx.waitUntil(this.#keepAlive());
        return work({ machine, spawned, executing, maxDurationMs: processMs, onSpawned }, beginUse);
      }),
    );
  }

  async end(): Promise<void> {
    const { parts, owner } = this.#instance;
    const hosted = readHosted(this.ctx.storage);
    this.#instance.isEnded = true;
    for (const interrupt of this.#instance.interrupts) interrupt();
    this.#instance = newInstance(undefined);
    parts?.use.close();
    parts?.watches.stopAll();
    parts?.spawned.close();
    const closing =
      hosted && owner ? endHostedMachine(this.env, owner.sessionId, hosted) : parts?.machine.close();
    // No await before this one: a new instance must not write to the deleted storage.
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    // A host that does not answer ends it later, when it is asked for the machines of ended sessions.
    await closing?.catch((error: unknown) => logError("machine_not_ended", error));
  }

  override async alarm(): Promise<void> {
    if (this.#instance.owner === undefined) return;
    await this.#deadlines.run(
      () => this.#keepAlive(),
      (_, error) => logError("machine_alarm_failed", error, this.#identity),
    );
  }

  #serve<T>(
    caller: MachineCaller,
    work: (parts: MachineParts, beginUse: () => Disposable) => T | Promise<T>,
  ): Promise<Outcome<T>> {
    return settle(async () => {
      const instance = this.#instance;
      const parts = await this.#requireMachine(instance, caller);
      const beginUse = () => parts.use.begin();
      using _use = beginUse();
      // A call may wait for input that has not arrived.
      const interrupted = Promise.withResolvers<void>();
      instance.interrupts.add(interrupted.resolve);
      try {
        const working = Promise.resolve(work(parts, beginUse));
        await Promise.race([working, interrupted.promise]);
        requireNotEnded(instance);
        return await working;
      } catch (error) {
        // Reports a failure caused by the session's end as that end.
        requireNotEnded(instance);
        if (error instanceof ServiceError) throw error;
        if (isStorageFull(error)) throw storageFull(error);
        if (error instanceof HostError) throw toHostRefusal(error);
        logError("machine_call_failed", error, this.#identity);
        throw new ServiceError("internal_error", "The session's machine failed", { cause: error });
      } finally {
        instance.interrupts.delete(interrupted.resolve);
      }
    });
  }

  async #requireMachine(instance: Instance, caller: MachineCaller): Promise<MachineParts> {
    if (instance.owner === undefined) {
      // The session refuses callers of other organizations.
      const { sessionId, organizationId, projectId } = caller;
      const choice = unwrap(await this.env.BROWSER_SESSION.getByName(sessionId).openMachine(caller));
      requireNotEnded(instance);
      const owner: MachineOwner = { sessionId, organizationId, projectId, ...choice };
      instance.owner ??= owner;
      this.ctx.storage.kv.put(OWNER_KEY, instance.owner);
    }
    const { owner } = instance;
    if (!isWithinReach(owner, caller)) throw notFound("browser session");
    if (instance.parts === undefined)
      instance.opening ??= this.#open(instance, owner).finally(() => {
        instance.opening = undefined;
      });
    if (instance.parts === undefined) await instance.opening;
    requireNotEnded(instance);
    if (instance.parts === undefined)
      throw new ServiceError("internal_error", "The session's machine did not start");
    return instance.parts;
  }

  async #open(instance: Instance, owner: MachineOwner): Promise<void> {
    const settings = readSettings(this.env);
    const spawned = new SpawnedProcesses(this.ctx.storage.sql);
    spawned.create();
    const machine = await this.openMachine(settings, owner, () => instance.isEnded);
    if (instance.isEnded) {
      await machine.close();
      throw notFound("browser session");
    }
    const session = this.env.BROWSER_SESSION.getByName(owner.sessionId);
    const use = new SessionUse({
      touch: () => session.touchByMachine(),
      onSessionEnded: () => {
        if (!instance.isEnded) this.ctx.waitUntil(this.end());
      },
      onError: (error) => logError("machine_touch_failed", error, this.#identity),
    });
    instance.parts = { machine, watches: new FileWatches(machine.files), spawned, executing: new Map(), use };
    logEvent("machine_opened", this.#identity);
  }

  protected openMachine(settings: Settings, owner: MachineOwner, isEnded: () => boolean): Promise<Machine> {
    return owner.machine === "linux"
      ? openHostedMachine(this.env, this.ctx.storage, owner, isEnded)
      : openMachine(this.env, this.ctx.storage, settings);
  }

  async #keepAlive(): Promise<void> {
    if (this.#instance.parts?.spawned.isAnyRunning)
      await this.#deadlines.set({ awake: Date.now() + AWAKE_INTERVAL_MS });
  }

  get #identity() {
    return {
      session_id: this.#instance.owner?.sessionId,
      organization_id: this.#instance.owner?.organizationId,
    };
  }
}

function newInstance(owner: MachineOwner | undefined): Instance {
  return { owner, parts: undefined, opening: undefined, isEnded: false, interrupts: new Set() };
}

function requireNotEnded(instance: Instance): void {
  if (instance.isEnded) throw notFound("browser session");
}
