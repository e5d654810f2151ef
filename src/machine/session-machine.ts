import { DurableObject } from "cloudflare:workers";
import type { Machine } from "durable-machine";
import { Deadlines } from "../alarms/deadlines.ts";
import { notFound, ServiceError } from "../common/errors.ts";
import { logError, logEvent } from "../common/log.ts";
import { type Outcome, settle, unwrap } from "../common/outcome.ts";
import { readSettings, type Settings } from "../common/settings.ts";
import { type CallerReach, isWithinReach } from "../organizations/index.ts";

import { BrowserFiles } from "./browser-files.ts";
import { FileCalls } from "./file-calls.ts";
import { FileWatches } from "./file-watches.ts";
import { openMachine } from "./open-machine.ts";
import { type Execution, ProcessCalls } from "./process-calls.ts";
import { SessionUse } from "./session-use.ts";
import { SpawnedProcesses } from "./spawned-processes.ts";

const OWNER_KEY = "owner";

/** An object that nobody calls is put away by the platform; while a spawned process runs its alarm calls it. */
const AWAKE_MS = 8000;

/** Whose machine is asked for, and who asks. */
export interface MachineCaller extends CallerReach {
  sessionId: string;
}

/** The session that a machine is of, and whose that is. */
interface MachineOwner {
  sessionId: string;
  organizationId: string;
  invocationId: string | null;
}

interface Parts {
  machine: Machine;
  watches: FileWatches;
  spawned: SpawnedProcesses;
  executing: Map<string, Execution>;
  use: SessionUse;
}

/** From the machine's first use to its end. What of one goes on beyond it finds it ended, and no other. */
interface Life {
  owner: MachineOwner | undefined;
  parts: Parts | undefined;
  opening: Promise<void> | undefined;
  isEnded: boolean;
}

/**
 * The machine of one session: its files and processes. An object of its own, so that a command that eats its
 * memory or its time cuts no connection to the browser. Made at the first call, ended by the session; where the
 * session belongs to a pool, each of its leases has a machine that begins anew.
 */
export class SessionMachine extends DurableObject<Env> {
  readonly #deadlines: Deadlines<"awake">;
  #life: Life;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deadlines = new Deadlines(ctx.storage);
    this.#life = newLife(readOwner(ctx.storage));
  }

  /** The files. Each operation is refused unless the session is the caller's. */
  files(caller: MachineCaller): FileCalls {
    return new FileCalls((work) =>
      this.#serve(caller, ({ machine, watches }, beginUse) =>
        work({ files: machine.files, watches }, beginUse),
      ),
    );
  }

  /** The files as the session's browser needs them. Called by the session. */
  browserFiles(caller: MachineCaller): BrowserFiles {
    return new BrowserFiles((work) =>
      this.#serve(caller, ({ machine, watches }, beginUse) =>
        work({ files: machine.files, watches }, beginUse),
      ),
    );
  }

  /** The processes. Each operation is refused unless the session is the caller's. */
  processes(caller: MachineCaller): ProcessCalls {
    return new ProcessCalls((work) =>
      this.#serve(caller, ({ machine, spawned, executing }, beginUse) => {
        const { processMs } = readSettings(this.env).machine;
        const onSpawned = () => this.ctx.waitUntil(this.#stayAwake());
        return work({ machine, spawned, executing, longestMs: processMs, onSpawned }, beginUse);
      }),
    );
  }

  /** Ends all that runs and forgets everything. Called by the session, whose end, or whose lease's, this is. */
  async end(): Promise<void> {
    const { parts } = this.#life;
    this.#life.isEnded = true;
    this.#life = newLife(undefined);
    parts?.use.close();
    parts?.watches.stopAll();
    parts?.spawned.close();
    const closing = parts?.machine.close();
    // Nothing is awaited before the storage is: a new life must not begin in what is deleted here.
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    await closing;
  }

  override async alarm(): Promise<void> {
    if (this.#life.owner === undefined) return;
    await this.#deadlines.run(
      () => this.#stayAwake(),
      (_, error) => logError("machine_alarm_failed", error, this.#identity),
    );
  }

  /** Runs what a caller wants of the machine, as a use of the session. */
  #serve<T>(
    caller: MachineCaller,
    work: (parts: Parts, beginUse: () => Disposable) => T | Promise<T>,
  ): Promise<Outcome<T>> {
    return settle(async () => {
      const life = this.#life;
      const parts = await this.#requireParts(life, caller);
      const beginUse = () => parts.use.begin();
      using _use = beginUse();
      try {
        const value = await work(parts, beginUse);
        requireLiving(life);
        return value;
      } catch (error) {
        // What fails, or breaks off, because the session ends meanwhile is told as its end.
        requireLiving(life);
        if (error instanceof ServiceError) throw error;
        logError("machine_call_failed", error, this.#identity);
        throw new ServiceError("internal_error", "The session's machine failed", { cause: error });
      }
    });
  }

  /** @throws ServiceError 404 unless the session is active and within the caller's reach. */
  async #requireParts(life: Life, caller: MachineCaller): Promise<Parts> {
    if (life.owner === undefined) {
      // Whoever asks for somebody else's session is refused by the session itself and opens nothing.
      const { sessionId, organizationId } = caller;
      const invocationId = unwrap(await this.env.BROWSER_SESSION.getByName(sessionId).openMachine(caller));
      requireLiving(life);
      life.owner ??= { sessionId, organizationId, invocationId };
      this.ctx.storage.kv.put(OWNER_KEY, life.owner);
    }
    const { owner } = life;
    if (!isWithinReach(owner, caller)) throw notFound("browser session");
    if (life.parts === undefined)
      life.opening ??= this.#open(life, owner).finally(() => {
        life.opening = undefined;
      });
    if (life.parts === undefined) await life.opening;
    requireLiving(life);
    if (life.parts === undefined)
      throw new ServiceError("internal_error", "The session's machine did not start");
    return life.parts;
  }

  async #open(life: Life, owner: MachineOwner): Promise<void> {
    const settings = readSettings(this.env);
    const spawned = new SpawnedProcesses(this.ctx.storage.sql);
    spawned.create();
    const machine = await this.openMachine(settings);
    if (life.isEnded) {
      await machine.close();
      throw notFound("browser session");
    }
    const session = this.env.BROWSER_SESSION.getByName(owner.sessionId);
    const use = new SessionUse({
      touch: () => session.touchByMachine(),
      onSessionOver: () => {
        if (!life.isEnded) this.ctx.waitUntil(this.end());
      },
      onFailure: (error) => logError("machine_use_not_told", error, this.#identity),
    });
    life.parts = { machine, watches: new FileWatches(machine.files), spawned, executing: new Map(), use };
    logEvent("machine_opened", this.#identity);
  }

  /** Opens the engine behind the files and processes. Tests put another in its place. */
  protected openMachine(settings: Settings): Promise<Machine> {
    return openMachine(this.env, this.ctx.storage, settings);
  }

  async #stayAwake(): Promise<void> {
    if (this.#life.parts?.spawned.isAnyRunning) await this.#deadlines.set({ awake: Date.now() + AWAKE_MS });
  }

  get #identity() {
    return {
      session_id: this.#life.owner?.sessionId,
      organization_id: this.#life.owner?.organizationId,
    };
  }
}

/** What a version before invocations has stored lacks one. */
function readOwner({ kv }: DurableObjectStorage): MachineOwner | undefined {
  const stored = kv.get<MachineOwner>(OWNER_KEY);
  return stored === undefined ? undefined : { ...stored, invocationId: stored.invocationId ?? null };
}

function newLife(owner: MachineOwner | undefined): Life {
  return { owner, parts: undefined, opening: undefined, isEnded: false };
}

function requireLiving(life: Life): void {
  if (life.isEnded) throw notFound("browser session");
}
