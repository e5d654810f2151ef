import { DurableObject } from "cloudflare:workers";
import { Deadlines } from "../alarms/deadlines.ts";
import { sessionObject } from "../browser-sessions/session-object.ts";
import { notFound, ServiceError } from "../http/errors.ts";
import { type Outcome, settle, unwrap } from "../http/outcome.ts";
import { logError, logEvent } from "../log.ts";
import { readSettings } from "../settings.ts";
import { BrowserFiles } from "./browser-files.ts";
import { FileWatches } from "./file-watches.ts";
import type { MachineProcess } from "./machine.ts";
import { MachineFiles } from "./machine-files.ts";
import { MachineProcesses } from "./machine-processes.ts";
import { SessionUse } from "./session-use.ts";
import { SimulatedMachine } from "./simulated-machine.ts";
import { SpawnedProcesses } from "./spawned-processes.ts";

const OWNER_KEY = "owner";

/** An object that nobody calls is put away by the platform; while a spawned process runs its alarm calls it. */
const AWAKE_MS = 8000;

/** Whose machine is asked for, and who asks. */
export interface MachineCaller {
  sessionId: string;
  organizationId: string;
}

interface Parts {
  machine: SimulatedMachine;
  watches: FileWatches;
  spawned: SpawnedProcesses;
  executing: Map<string, MachineProcess>;
  use: SessionUse;
}

/**
 * The machine of one session: its files and processes. An object of its own, so that a command that eats its
 * memory or its time cuts no connection to the browser. Made at the first call, ended by the session.
 */
export class SessionMachine extends DurableObject<Env> {
  readonly #deadlines: Deadlines<"awake">;
  #owner: MachineCaller | undefined;
  #parts: Parts | undefined;
  #opening: Promise<void> | undefined;
  #isEnded = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#deadlines = new Deadlines(ctx.storage);
    this.#owner = ctx.storage.kv.get<MachineCaller>(OWNER_KEY);
  }

  /** The files. Each operation is refused unless the session is the caller's. */
  files(caller: MachineCaller): MachineFiles {
    return new MachineFiles((work) =>
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
  processes(caller: MachineCaller): MachineProcesses {
    return new MachineProcesses((work) =>
      this.#serve(caller, ({ machine, spawned, executing }, beginUse) => {
        const { processMs } = readSettings(this.env).machine;
        const onSpawned = () => this.ctx.waitUntil(this.#stayAwake());
        return work({ machine, spawned, executing, longestMs: processMs, onSpawned }, beginUse);
      }),
    );
  }

  /** Ends all that runs and forgets everything. Called by the session, whose end this is. */
  async end(): Promise<void> {
    this.#isEnded = true;
    const parts = this.#parts;
    this.#parts = undefined;
    if (parts !== undefined) {
      parts.use.close();
      parts.watches.stopAll();
      parts.spawned.killAll();
      for (const process of parts.executing.values()) process.kill("KILL");
      parts.machine.close();
    }
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (this.#isEnded) return;
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
      const parts = await this.#requireParts(caller);
      const beginUse = () => parts.use.begin();
      using _use = beginUse();
      try {
        const value = await work(parts, beginUse);
        this.#requireLiving();
        return value;
      } catch (error) {
        // What fails, or breaks off, because the session ends meanwhile is told as its end.
        this.#requireLiving();
        if (error instanceof ServiceError) throw error;
        logError("machine_call_failed", error, this.#identity);
        throw new ServiceError("internal_error", "The session's machine failed", { cause: error });
      }
    });
  }

  /** @throws ServiceError 404 unless the session is active and the caller's. */
  async #requireParts(caller: MachineCaller): Promise<Parts> {
    this.#requireLiving();
    if (this.#owner === undefined) {
      // Whoever asks for somebody else's session is refused by the session itself and opens nothing.
      unwrap(await sessionObject(this.env, caller.sessionId).openMachine(caller.organizationId));
      this.#requireLiving();
      this.#owner ??= caller;
      this.ctx.storage.kv.put(OWNER_KEY, this.#owner);
    }
    if (this.#owner.organizationId !== caller.organizationId) throw notFound("browser session");
    if (this.#parts === undefined)
      this.#opening ??= this.#open(this.#owner).finally(() => {
        this.#opening = undefined;
      });
    if (this.#parts === undefined) await this.#opening;
    this.#requireLiving();
    if (this.#parts === undefined)
      throw new ServiceError("internal_error", "The session's machine did not start");
    return this.#parts;
  }

  async #open(owner: MachineCaller): Promise<void> {
    const settings = readSettings(this.env);
    const spawned = new SpawnedProcesses(this.ctx.storage.sql);
    spawned.create();
    const machine = new SimulatedMachine({
      storage: this.ctx.storage,
      limits: settings.machine,
      allowPrivateAddresses: settings.allowPrivateAddresses,
    });
    await machine.open();
    if (this.#isEnded) {
      machine.close();
      throw notFound("browser session");
    }
    const session = sessionObject(this.env, owner.sessionId);
    const use = new SessionUse({
      touch: () => session.touchByMachine(),
      onSessionOver: () => this.ctx.waitUntil(this.end()),
      onFailure: (error) => logError("machine_use_not_told", error, this.#identity),
    });
    this.#parts = { machine, watches: new FileWatches(machine.files), spawned, executing: new Map(), use };
    logEvent("machine_opened", this.#identity);
  }

  async #stayAwake(): Promise<void> {
    if (this.#parts?.spawned.isAnyRunning) await this.#deadlines.set({ awake: Date.now() + AWAKE_MS });
  }

  #requireLiving(): void {
    if (this.#isEnded) throw notFound("browser session");
  }

  get #identity() {
    return { session_id: this.#owner?.sessionId, organization_id: this.#owner?.organizationId };
  }
}
