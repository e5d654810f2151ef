import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SandboxLimits } from "../limits.ts";
import { Forwarder, type NetworkRules } from "../network/forwarder.ts";
import { makeSandboxFiles, Sandbox, type SandboxFiles } from "../sandbox/sandbox.ts";
import { Refusal } from "./refusal.ts";

/** How many ended machines the host can explain. */
const MAX_ENDED = 1000;

export interface MachinesOptions {
  /** Kept free of other things; a short path, because those of sockets have at most about 100 characters. */
  folder: string;
  maxMachines: number;
  /** No machine gets more. */
  maxLimits: SandboxLimits;
  /** Sandboxes that are started before they are asked for. */
  prepared: number;
  /** False where the kernel offers no namespaces. Then the host takes one machine, ever. */
  isConfined?: boolean;
  onEvent: (event: string, fields: object) => void;
}

export interface MachineRequest {
  limits: SandboxLimits;
  network: NetworkRules;
  /** Told in lists, for the owner to recognize its machines. */
  labels: Record<string, string>;
}

interface RunningSandbox {
  sandbox: Sandbox;
  forwarder: Forwarder;
}

export interface HostedMachine extends RunningSandbox {
  id: string;
  labels: Record<string, string>;
  startedAt: number;
}

/** The machines of a host. */
export class Machines {
  readonly #options: MachinesOptions;
  readonly #folder: string;
  readonly #files: SandboxFiles;
  readonly #running = new Map<string, HostedMachine | Promise<HostedMachine>>();
  /** Why machines ended, oldest first. */
  readonly #ended = new Map<string, string>();
  readonly #slots = new Set<number>();
  #prepared: Promise<RunningSandbox>[] = [];
  #preparedLimits = "";
  #stopped: Promise<unknown> = Promise.resolve();
  #isDraining = false;
  readonly #drained = Promise.withResolvers<void>();
  #seconds = 0;
  #startedCount = 0;

  constructor(options: MachinesOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true });
    removeLeftovers(options.folder);
    this.#folder = mkdtempSync(join(options.folder, `${process.pid}-`));
    // The users of sandboxes are others on this computer.
    for (const folder of [options.folder, this.#folder]) chmodSync(folder, 0o711);
    this.#files = makeSandboxFiles(this.#folder);
  }

  get count(): number {
    return this.#running.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Since the host began: machines, and the seconds that all of them together have run. */
  get usage(): { started: number; seconds: number } {
    const running = this.list().reduce((sum, { startedAt }) => sum + (Date.now() - startedAt) / 1000, 0);
    return { started: this.#startedCount, seconds: this.#seconds + running };
  }

  list(): HostedMachine[] {
    return [...this.#running.values()].flatMap((machine) => (machine instanceof Promise ? [] : [machine]));
  }

  /** Starts a machine; one that exists stays as it is. @throws Refusal if there is no room. */
  async create(id: string, request: MachineRequest): Promise<HostedMachine> {
    const existing = this.#running.get(id);
    if (existing !== undefined) return await existing;
    const reason = this.#ended.get(id);
    if (reason !== undefined) throw new Refusal(410, "machine_ended", reason);
    if (this.#isDraining)
      throw new Refusal(503, "draining", "This host takes no new machine, because it will stop");
    if (this.#running.size >= this.#options.maxMachines)
      throw new Refusal(429, "host_full", `This host already has its ${this.#options.maxMachines} machines`);
    const starting = this.#start(id, request);
    // Counted before the first await.
    this.#running.set(id, starting);
    try {
      const machine = await starting;
      this.#running.set(id, machine);
      // Only now, because it may already have ended.
      void machine.sandbox.ended.then((reason) => this.#forget(machine, reason));
      return machine;
    } catch (error) {
      this.#running.delete(id);
      this.#endDrain();
      throw error;
    }
  }

  /** @throws Refusal if it does not run here. */
  get(id: string): HostedMachine {
    const machine = this.#running.get(id);
    if (machine !== undefined && !(machine instanceof Promise)) return machine;
    const reason = this.#ended.get(id);
    if (reason !== undefined) throw new Refusal(410, "machine_ended", reason);
    throw new Refusal(404, "machine_not_found", "There is no such machine on this host");
  }

  async end(id: string): Promise<void> {
    const machine = await Promise.resolve(this.#running.get(id)).catch(() => undefined);
    this.#remember(id, "it was asked to end");
    await machine?.sandbox.stop();
  }

  /** Takes no new machine. */
  drain(): void {
    this.#isDraining = true;
    this.#endDrain();
  }

  /** Fulfills when it takes no new machine and the last one has ended. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  async close(): Promise<void> {
    this.#isDraining = true;
    await Promise.all([...this.#running.keys()].map((id) => this.end(id)));
    await this.#stopPrepared();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(id: string, { limits, network, labels }: MachineRequest): Promise<HostedMachine> {
    const running = await this.#take(bounded(limits, this.#options.maxLimits));
    running.forwarder.rules = network;
    const machine = { ...running, id, labels, startedAt: Date.now() };
    this.#startedCount += 1;
    // Another session would find what this one leaves behind.
    if (this.#options.isConfined === false) this.#isDraining = true;
    this.#options.onEvent("machine_started", { machine: id });
    return machine;
  }

  #forget({ id, startedAt }: HostedMachine, reason: string): void {
    this.#seconds += (Date.now() - startedAt) / 1000;
    this.#running.delete(id);
    this.#remember(id, reason);
    this.#options.onEvent("machine_ended", { machine: id, reason: this.#ended.get(id) });
    this.#endDrain();
  }

  async #take(limits: SandboxLimits): Promise<RunningSandbox> {
    const key = JSON.stringify(limits);
    if (key !== this.#preparedLimits) {
      void this.#stopPrepared();
      this.#preparedLimits = key;
    }
    const prepared = this.#prepared.shift();
    const taken = prepared
      ? await prepared.catch(() => this.#startSandbox(limits))
      : await this.#startSandbox(limits);
    this.#prepare(limits);
    return taken;
  }

  #prepare(limits: SandboxLimits): void {
    while (!this.#isDraining && this.#prepared.length < this.#options.prepared) {
      const starting = this.#startSandbox(limits);
      this.#prepared.push(starting);
      const remove = () => {
        this.#prepared = this.#prepared.filter((other) => other !== starting);
      };
      starting.then(({ sandbox }) => sandbox.ended.then(remove), remove);
    }
  }

  /** Also waits for those that are already stopping. */
  async #stopPrepared(): Promise<void> {
    const stopping = this.#prepared
      .splice(0)
      .map((starting) => starting.then(({ sandbox }) => sandbox.stop()));
    this.#stopped = Promise.allSettled([this.#stopped, ...stopping]);
    await this.#stopped;
  }

  async #startSandbox(limits: SandboxLimits): Promise<RunningSandbox> {
    const slot = this.#takeSlot();
    const folder = join(this.#folder, randomUUID().slice(0, 8));
    mkdirSync(folder);
    const forwarder = new Forwarder();
    try {
      await forwarder.listen(join(folder, "network.sock"));
      const sandbox = await Sandbox.start({
        folder,
        slot,
        files: this.#files,
        limits,
        isConfined: this.#options.isConfined ?? true,
      });
      void sandbox.ended.then(() => {
        forwarder.close();
        this.#slots.delete(slot);
      });
      return { sandbox, forwarder };
    } catch (error) {
      forwarder.close();
      this.#slots.delete(slot);
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  #takeSlot(): number {
    let slot = 0;
    while (this.#slots.has(slot)) slot += 1;
    this.#slots.add(slot);
    return slot;
  }

  /** The first reason counts. */
  #remember(id: string, reason: string): void {
    if (!this.#ended.has(id)) this.#ended.set(id, reason);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #endDrain(): void {
    if (!this.#isDraining) return;
    void this.#stopPrepared();
    if (this.#running.size === 0) this.#drained.resolve();
  }
}

/** Removes the folders of hosts that were killed. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /^(\d+)-\w+$/.exec(name)?.[1];
    // In a new container, the host has the pid of the former one, but not its process.
    const isRunning = pid !== undefined && pid !== String(process.pid) && existsSync(`/proc/${pid}`);
    if (pid !== undefined && !isRunning) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function bounded(wanted: SandboxLimits, max: SandboxLimits): SandboxLimits {
  return {
    fileBytes: Math.min(wanted.fileBytes, max.fileBytes),
    files: Math.min(wanted.files, max.files),
    processes: Math.min(wanted.processes, max.processes),
    tasks: Math.min(wanted.tasks, max.tasks),
    memoryBytes: Math.min(wanted.memoryBytes, max.memoryBytes),
    cpus: Math.min(wanted.cpus, max.cpus),
  };
}
