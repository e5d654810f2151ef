import {
  FileError,
  isFileErrorCode,
  type Machine,
  type MachineFiles,
  type MachineProcess,
  type MachineProcesses,
  type ProcessEnd,
  type ProcessListeners,
  type ProcessRequest,
  type Signal,
  StartError,
  type StartErrorCode,
  type TerminalSize,
} from "durable-machine";
import type { NetworkAccess } from "network-rules";
import { z } from "zod";
import type { SandboxLimits } from "../limits.ts";
import { HostError } from "./host-error.ts";
import { readLines } from "./read-lines.ts";

export { HostError } from "./host-error.ts";

/** As of the simulated machine. */
const LIMIT_EXIT_CODE = 126;

/** PATH_MAX of Linux. */
const MAX_PATH_LENGTH = 4096;

const MAX_REASON_BYTES = 65_536;

/** For the list of a directory with some 90,000 entries. */
const MAX_JSON_BYTES = 16 * 2 ** 20;

/** A session host. */
export interface HostAddress {
  /** Without a path. */
  url: string;
  token: string;
  /** Default: the global one. */
  fetch?: (url: URL, init: RequestInit) => Promise<Response>;
}

export interface RemoteMachineLimits extends SandboxLimits {
  /** Bytes that a process may write. One that writes more is ended. */
  outputBytes: number;
}

export interface RemoteMachineOptions {
  host: HostAddress;
  /** Chosen by the caller; `[\w-]{1,100}`. */
  id: string;
  limits: RemoteMachineLimits;
  network: { access: NetworkAccess; allowPrivateAddresses: boolean };
  /** Told in the host's list of machines. */
  labels: Record<string, string>;
}

/**
 * A machine on a session host. Processes end when this object's connections to them break.
 *
 * All operations reject with {@link HostError} when the host refuses them or cannot be reached.
 */
export class RemoteMachine implements Machine {
  readonly files: MachineFiles;
  readonly processes: MachineProcesses;
  readonly #options: RemoteMachineOptions;
  readonly #calls: HostCalls;

  constructor(options: RemoteMachineOptions) {
    this.#options = options;
    this.#calls = new HostCalls(options.host, `/machines/${options.id}`);
    this.files = new RemoteFiles(this.#calls);
    this.processes = new RemoteProcesses(this.#calls, options.limits.outputBytes);
  }

  /** Starts the machine. One that already runs stays as it is. */
  async open(): Promise<void> {
    const { limits, network, labels } = this.#options;
    const { outputBytes: _, ...ofHost } = limits;
    await this.#calls.json("PUT", "", { limits: ofHost, network, labels });
  }

  /** @throws HostError if it does not run any more. */
  async resume(): Promise<void> {
    await this.#calls.send("GET", "");
  }

  async close(): Promise<void> {
    await this.#calls.send("DELETE", "");
  }
}

const listSchema = z.object({
  machines: z.array(
    z.object({ id: z.string(), labels: z.record(z.string(), z.string()), started_at: z.string() }),
  ),
});

/** @returns the ids and labels of a host's machines. @throws HostError */
export async function listMachines(host: HostAddress) {
  return listSchema.parse(await new HostCalls(host, "/machines").json("GET", "")).machines;
}

/** Ends a machine, if it runs. @throws HostError */
export async function endMachine(host: HostAddress, id: string): Promise<void> {
  await new HostCalls(host, `/machines/${id}`).send("DELETE", "");
}

interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: BodyInit;
  signal?: AbortSignal;
}

class HostCalls {
  readonly #host: HostAddress;
  readonly #path: string;

  constructor(host: HostAddress, path: string) {
    this.#host = host;
    this.#path = path;
  }

  /** @throws HostError; the cause of a machine's own refusal (422) has its code. */
  async send(
    method: string,
    path: string,
    { query = {}, body, signal }: RequestOptions = {},
  ): Promise<Response> {
    const url = new URL(this.#path + path, this.#host.url);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const send = this.#host.fetch ?? fetch;
    const response = await send(url, {
      method,
      body,
      signal,
      headers: { authorization: `Bearer ${this.#host.token}` },
      // A redirect would take the token elsewhere.
      redirect: "manual",
      ...(body instanceof ReadableStream && { duplex: "half" }),
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw new HostError("The session host cannot be reached", { status: 0, code: "unreachable", cause });
    });
    if (response.ok) return response;
    throw await readRefusal(response);
  }

  async json(method: string, path: string, value?: object): Promise<unknown> {
    const body = value === undefined ? undefined : JSON.stringify(value);
    return await readJSON(await this.send(method, path, { body }));
  }
}

async function readJSON(response: Response): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await readBytes(response, MAX_JSON_BYTES)));
}

/** Programs of a sandbox may answer in place of its agent. @throws HostError EFBIG for more than `limit` bytes. */
async function readBytes({ body }: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = limit;
  for await (const chunk of body ?? []) {
    left -= chunk.length;
    if (left < 0) throw new HostError("the answer is too large", { status: 422, code: "EFBIG" });
    chunks.push(new Uint8Array(chunk));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const refusalSchema = z.object({ code: z.string(), message: z.string() });

async function readRefusal(response: Response): Promise<HostError> {
  let text = "";
  for await (const line of readLines(response.body, MAX_REASON_BYTES)) text += line;
  const { status } = response;
  try {
    const { code, message } = refusalSchema.parse(JSON.parse(text));
    return new HostError(message, { status, code });
  } catch {
    return new HostError(`The session host answered ${status}`, { status, code: "internal_error" });
  }
}

class RemoteFiles implements MachineFiles {
  readonly #calls: HostCalls;

  constructor(calls: HostCalls) {
    this.#calls = calls;
  }

  status = this.#operation("status");
  list = this.#operation("list");
  resolve = this.#operation("resolve");
  readSymlink = this.#operation("readSymlink");
  makeDirectory = this.#operation("makeDirectory");
  rename = this.#operation("rename");
  place = this.#operation("place");
  link = this.#operation("link");
  symlink = this.#operation("symlink");
  unlink = this.#operation("unlink");
  removeTree = this.#operation("removeTree");
  changeMode = this.#operation("changeMode");
  changeOwner = this.#operation("changeOwner");
  setTimes = this.#operation("setTimes");
  usage = this.#operation("usage");

  read(path: string): Promise<{ size: number; body: ReadableStream<Uint8Array> }> {
    return refusals("open", path, async () => {
      const { body, headers } = await this.#calls.send("GET", "/files/content", { query: { path } });
      return { size: Number(headers.get("file-size")), body: body ?? new Blob().stream() };
    });
  }

  readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
    return refusals("read", path, async () => {
      const query = { path, offset, length };
      return await readBytes(await this.#calls.send("GET", "/files/content", { query }), length);
    });
  }

  write(
    path: string,
    body: ReadableStream<Uint8Array>,
    options: { mode?: number; parents?: boolean } = {},
  ): Promise<void> {
    return refusals("write", path, async () => {
      await this.#calls.send("PUT", "/files/content", { query: { path, ...options }, body });
    });
  }

  writeSmall(path: string, bytes: Uint8Array, options: { mode: number; modifiedAt: number }): Promise<void> {
    return refusals("write", path, async () => {
      const query = { path, parents: true, ...options };
      await this.#calls.send("PUT", "/files/content", { query, body: new Uint8Array(bytes) });
    });
  }

  watch(path: string, listener: Parameters<MachineFiles["watch"]>[1]): Promise<() => void> {
    return refusals("watch", path, async () => {
      const stop = new AbortController();
      const { body } = await this.#calls.send("GET", "/files/changes", {
        query: { path },
        signal: stop.signal,
      });
      const follow = async () => {
        for await (const line of readLines(body)) listener(changeSchema.parse(JSON.parse(line)));
      };
      // The stream also ends with the machine.
      void follow().catch(() => undefined);
      return () => stop.abort();
    });
  }

  #operation<Name extends keyof MachineFiles>(name: Name): MachineFiles[Name] {
    const call = (...values: unknown[]) => {
      const path = typeof values[0] === "string" ? values[0] : "";
      return refusals(name, path, () => this.#calls.json("POST", `/files/${name}`, values));
    };
    // The host's answer has the type of the same operation there.
    return call as MachineFiles[Name];
  }
}

/** @throws FileError if the machine refuses the operation. */
async function refusals<T>(operation: string, path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HostError && error.status === 422)) throw error;
    const code = isFileErrorCode(error.code) ? error.code : "EIO";
    throw new FileError(code, operation, path);
  }
}

const changeSchema = z.object({
  type: z.enum(["create", "write", "delete", "rename"]),
  path: z.string().max(MAX_PATH_LENGTH),
  isDirectory: z.boolean(),
});

const endSchema = z.union([
  z.object({ by: z.literal("exit"), code: z.int() }),
  z.object({ by: z.literal("signal"), signal: z.enum(["TERM", "KILL", "INT", "HUP"]) }),
]);

const eventSchema = z.union([
  z.object({ stream: z.enum(["stdout", "stderr"]), data: z.string().min(1) }),
  z.object({ end: endSchema }),
]);

const START_ERRORS: readonly StartErrorCode[] = [
  "command_not_found",
  "command_not_executable",
  "no_such_directory",
  "too_many_processes",
  "user_unavailable",
];

const startSchema = z.object({ pid: z.int() });

class RemoteProcesses implements MachineProcesses {
  readonly hasTerminals = true;
  readonly #calls: HostCalls;
  readonly #outputBytes: number;

  constructor(calls: HostCalls, outputBytes: number) {
    this.#calls = calls;
    this.#outputBytes = outputBytes;
  }

  async start(request: ProcessRequest, listeners: ProcessListeners): Promise<MachineProcess> {
    const calls = this.#calls;
    const connection = new AbortController();
    const options = { body: JSON.stringify(request), signal: connection.signal };
    const { body } = await calls.send("POST", "/processes", options).catch(rejectStart);
    const lines = readLines(body);
    const first = await lines.next();
    if (first.done) throw new HostError("The machine has ended", { status: 0, code: "unreachable" });
    const { pid } = startSchema.parse(JSON.parse(first.value));
    const ended = this.#follow(lines, listeners, connection).catch(() => ({
      by: "signal" as const,
      signal: "KILL" as const,
    }));
    const control = async (action: string, body: BodyInit) =>
      await readJSON(await calls.send("POST", `/processes/${pid}/${action}`, { body }));
    return {
      pid,
      ended,
      write: async (bytes) => (await control("input", new Uint8Array(bytes))) === true,
      kill: async (signal: Signal) => void (await control("signal", JSON.stringify({ signal }))),
      ...(request.terminal && {
        resize: async (size: TerminalSize) => void (await control("size", JSON.stringify(size))),
      }),
    };
  }

  async #follow(
    lines: AsyncGenerator<string>,
    { onOutput }: ProcessListeners,
    connection: AbortController,
  ): Promise<ProcessEnd> {
    let left = this.#outputBytes;
    for await (const line of lines) {
      const event = eventSchema.parse(JSON.parse(line));
      if ("end" in event) return event.end;
      const bytes = Uint8Array.fromBase64(event.data);
      left -= bytes.length;
      if (left < 0) {
        connection.abort();
        return {
          by: "limit",
          code: LIMIT_EXIT_CODE,
          reason: `output limit of ${this.#outputBytes} bytes reached`,
        };
      }
      await onOutput(event.stream, bytes);
    }
    throw new Error("The connection to the process broke");
  }
}

function rejectStart(error: unknown): never {
  if (!(error instanceof HostError && error.status === 422)) throw error;
  const code = START_ERRORS.find((known) => known === error.code);
  throw code === undefined ? error : new StartError(error.message, code);
}
