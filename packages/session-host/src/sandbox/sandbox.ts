import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import { Socket } from "node:net";
import { basename, join } from "node:path";
import type { SandboxLimits } from "../limits.ts";
import { ControlGroup } from "./control-group.ts";
import { watchMemory } from "./memory-watch.ts";
import { seccompFilter } from "./seccomp.ts";

const BEGIN = join(import.meta.dirname, "begin-sandbox.sh");
const ENTER = join(import.meta.dirname, "enter-sandbox.sh");
const BUILD_AGENT = join(import.meta.dirname, "build-agent.ts");

/** Each sandbox of a host that runs as root has user ids of its own on this computer. */
const FIRST_ID = 1_000_000;
const IDS = 65_536;

/** Descriptors of the sandbox's first process. */
const AGENT_SOCKET = 3;
const READY = 4;
const GO = 5;

const START_TIMEOUT_MS = 20_000;

/** Characters of what a sandbox prints, for the reason of its end. */
const MAX_PRINTED = 2000;

const CONNECTION_WINDOW_BYTES = 2 ** 31 - 1;
const STREAM_WINDOW_BYTES = 1024 * 1024;

/** Files that all sandboxes of a host read. */
export interface SandboxFiles {
  seccomp: string;
  agent: string;
}

export interface SandboxOptions {
  /** A new folder of its own. */
  folder: string;
  /** Different for each running sandbox. */
  slot: number;
  files: SandboxFiles;
  limits: SandboxLimits;
  /** False where the kernel offers no namespaces: then its programs run beside the host. */
  isConfined: boolean;
}

/** @param folder which other users may read. */
export function makeSandboxFiles(folder: string): SandboxFiles {
  const files = { seccomp: join(folder, "seccomp"), agent: join(folder, "agent") };
  writeFileSync(files.seccomp, seccompFilter(process.arch));
  mkdirSync(files.agent);
  execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", BUILD_AGENT, files.agent]);
  return files;
}

/** Whether sandboxes have several users. Only root may map their ids. */
export const HAS_USERS = process.getuid?.() === 0;

/** A running sandbox and the connection to its agent. */
export class Sandbox {
  readonly agent: ClientHttp2Session;
  /** Why it ended. Never rejects. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, agent: ClientHttp2Session, ended: Promise<string>) {
    this.#child = child;
    this.agent = agent;
    this.ended = ended;
  }

  /** @throws Error with what the sandbox printed, if it does not start. */
  static async start({ folder, slot, files, limits, isConfined }: SandboxOptions): Promise<Sandbox> {
    const group = ControlGroup.create(`session-host-${process.pid}-${basename(folder)}`, limits);
    const mapping = HAS_USERS ? "--keep-caps" : "--map-root-user";
    const [program = "", ...args] = isConfined
      ? ["unshare", "--user", "--mount", mapping, BEGIN, ENTER]
      : [process.execPath, join(files.agent, "main.mjs")];
    const child = spawn(program, args, {
      stdio: ["ignore", "ignore", "pipe", "pipe", "pipe", "pipe"],
      detached: true,
      env: {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        SANDBOX_USERS: HAS_USERS ? "many" : "one",
        SANDBOX_FOLDER: folder,
        SANDBOX_BYTES: String(limits.fileBytes),
        SANDBOX_FILES: String(limits.files),
        SANDBOX_TASKS: String(limits.tasks),
        SANDBOX_PROCESSES: String(limits.processes),
        SANDBOX_SECCOMP: files.seccomp,
        SANDBOX_NODE: process.execPath,
        SANDBOX_AGENT: files.agent,
        // Of an agent that is not confined.
        MAX_PROCESSES: String(limits.processes),
        NETWORK_SOCKET: join(folder, "network.sock"),
      },
    });
    let printed = "";
    const { stderr } = child;
    // Programs of the sandbox may write it without end.
    stderr?.setEncoding("utf8").on("data", (text) => {
      if (printed.length < MAX_PRINTED) printed += text;
      else if (isRunning(child)) stderr.pause();
    });
    const reason = Promise.withResolvers<string>();
    let describeEnd = () => printed.trim() || "its programs ended it";
    const stopWatching = group?.limitsMemory
      ? undefined
      : watchMemory(child, limits.memoryBytes, () => {
          describeEnd = () => "it used more memory than it may";
          killTree(child);
        });
    child.once("error", (error) => reason.resolve(error.message));
    child.once("close", async () => {
      stopWatching?.();
      await group?.remove();
      rmSync(folder, { recursive: true, force: true });
      reason.resolve(describeEnd());
    });
    try {
      const isEnded = reason.promise.then(() => Promise.reject(new Error("it has ended")));
      if (isConfined) await Promise.race([begin(child, group, folder, slot), isEnded]);
      const agent = await Promise.race([connectAgent(socketOf(child, AGENT_SOCKET)), isEnded]);
      // A machine without a connection is of no use.
      agent.once("close", () => killTree(child));
      return new Sandbox(child, agent, reason.promise);
    } catch (error) {
      killTree(child);
      throw new Error(`The sandbox did not start: ${await reason.promise}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    killTree(this.#child);
    await this.ended;
  }
}

/** Maps the ids of a new user namespace, and lets the sandbox begin. */
async function begin(
  child: ChildProcess,
  group: ControlGroup | undefined,
  folder: string,
  slot: number,
): Promise<void> {
  const go = socketOf(child, GO);
  go.on("error", () => undefined);
  await once(socketOf(child, READY), "data", { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  const { pid } = child;
  if (pid === undefined) throw new Error("the sandbox has ended");
  group?.add(pid);
  const root = join(folder, "root");
  mkdirSync(root);
  chmodSync(folder, 0o711);
  if (HAS_USERS) {
    const first = FIRST_ID + slot * IDS;
    chownSync(root, first, first);
    writeFileSync(`/proc/${pid}/uid_map`, `0 ${first} ${IDS}\n`);
    writeFileSync(`/proc/${pid}/gid_map`, `0 ${first} ${IDS}\n`);
  }
  go.end("\n");
}

function socketOf(child: ChildProcess, descriptor: number): Socket {
  const socket: unknown = Reflect.get(child.stdio, descriptor);
  if (!(socket instanceof Socket)) throw new Error("The sandbox has no socket");
  return socket;
}

async function connectAgent(socket: Socket): Promise<ClientHttp2Session> {
  const agent = connect("http://agent", {
    createConnection: () => socket,
    maxSessionMemory: 64,
    settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
  });
  agent.on("error", () => undefined);
  // Otherwise, answers that are under way would keep it open.
  agent.on("goaway", () => agent.destroy());
  await once(agent, "remoteSettings", { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  agent.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
  return agent;
}

/** The end of the namespace's first process ends all others. */
function killTree(child: ChildProcess): void {
  const { pid } = child;
  // Afterwards, the id may be another's.
  if (pid === undefined || !isRunning(child)) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** A small sandbox. Containers, for example, may not allow the mount of /proc. */
const TRIAL = "bwrap --unshare-pid --unshare-net --ro-bind / / --proc /proc --dev /dev true".split(" ");

/** @returns why this computer cannot run sandboxes, or undefined. */
export function findObstacle(): string | undefined {
  if (process.platform !== "linux") return "it does not run Linux";
  for (const [program, aim] of Object.entries({
    bwrap: "Debian and Ubuntu: apt install bubblewrap",
    unshare: "a part of util-linux",
    setpriv: "a part of util-linux",
  })) {
    try {
      execFileSync(program, ["--version"], { stdio: "ignore" });
    } catch {
      return `${program} is not installed (${aim})`;
    }
  }
  try {
    execFileSync("unshare", ["--user", "--map-root-user", "--mount", ...TRIAL], { stdio: "pipe" });
    return undefined;
  } catch (error) {
    return `the kernel offers no namespaces here (${String(error).split("\n").at(1) ?? error})`;
  }
}
