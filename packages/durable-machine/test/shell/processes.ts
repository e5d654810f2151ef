import type { MachineFetch } from "../../src/network.ts";
import type { OutputStream, ProcessEnd, ProcessListeners } from "../../src/processes/process.ts";
import { ProcessTable } from "../../src/processes/process-table.ts";
import { ByteInput } from "../../src/shell/byte-input.ts";
import { toByteString } from "../../src/shell/byte-strings.ts";
import { DEFAULT_SHELL_LIMITS, type ShellLimits } from "../../src/shell/limits.ts";
import { Shell } from "../../src/shell/shell.ts";
import { ShellProcess } from "../../src/shell/shell-process.ts";
import { TimeSlice } from "../../src/time-slice.ts";
import { ROOT, ROOT_USER, type User } from "../../src/users.ts";
import { type OpenFiles, withFiles } from "../file-system/open-files.ts";
import { IDENTITY } from "../identity.ts";

export const DIRECTORY = "/tmp/work";

export interface RunOptions {
  user?: User;
  directory?: string;
  environment?: Record<string, string>;
  takesInput?: boolean;
  limits?: Partial<ShellLimits>;
  /** Without it, requests fail. */
  fetch?: MachineFetch;
  onOutput?: ProcessListeners["onOutput"];
}

export interface Ended {
  /** A character for each byte. */
  stdout: string;
  stderr: string;
  end: ProcessEnd;
}

export class TestMachine {
  readonly files: OpenFiles["files"];
  readonly processes = new ProcessTable(16);
  readonly #slice = new TimeSlice();

  constructor(files: OpenFiles["files"]) {
    this.files = files;
    files.makeDirectory(DIRECTORY, ROOT, { parents: true });
    files.changeMode(DIRECTORY, ROOT, 0o777);
  }

  #context({ limits = {}, fetch }: Pick<RunOptions, "limits" | "fetch"> = {}) {
    return {
      files: this.files,
      processes: this.processes,
      slice: this.#slice,
      limits: { ...DEFAULT_SHELL_LIMITS, ...limits },
      fetch: fetch ?? (() => Promise.reject(new Error("no network in tests"))),
      machineName: "machine",
      users: IDENTITY.users,
      bootedAt: 0,
    };
  }

  shell(): Shell {
    const registry = { jobs: [], functions: [], pipes: 0 };
    const context = { ...this.#context(), user: ROOT_USER, registry };
    return new Shell(context, {
      pid: 2,
      parentPid: 1,
      directory: DIRECTORY,
      environment: {},
      umask: 0o022,
      stdout: async () => undefined,
      stderr: async () => undefined,
      input: new ByteInput(),
      newCommandTable: () => [],
      signal: new AbortController().signal,
    });
  }

  /** @throws StartError */
  start(argv: [string, ...string[]], options: RunOptions = {}) {
    const output: { stream: OutputStream; text: string }[] = [];
    const listeners = new Set<() => void>();
    const process = new ShellProcess({
      request: {
        argv,
        directory: options.directory ?? DIRECTORY,
        environment: options.environment ?? {},
        user: options.user ?? ROOT_USER,
        takesInput: options.takesInput ?? false,
      },
      listeners: {
        onOutput: (stream, bytes) => {
          output.push({ stream, text: toByteString(bytes) });
          for (const listener of listeners) listener();
          return options.onOutput?.(stream, bytes);
        },
      },
      parentPid: 1,
      ...this.#context(options),
    });
    const textOf = (expected: OutputStream) =>
      output.flatMap(({ stream, text }) => (stream === expected ? text : [])).join("");
    return {
      process,
      stdout: () => textOf("stdout"),
      stderr: () => textOf("stderr"),
      /** Resolves when standard output ends with the text. */
      reaches: (text: string) =>
        new Promise<void>((resolve) => {
          const check = () => {
            if (!textOf("stdout").endsWith(text)) return;
            listeners.delete(check);
            resolve();
          };
          listeners.add(check);
          check();
        }),
      ended: async (): Promise<Ended> => {
        const end = await process.ended;
        return { stdout: textOf("stdout"), stderr: textOf("stderr"), end };
      },
    };
  }

  run(argv: [string, ...string[]], options: RunOptions = {}): Promise<Ended> {
    return this.start(argv, options).ended();
  }

  /** `bash -c SCRIPT bash ARGS…` */
  bash(script: string, options: RunOptions = {}, ...args: string[]): Promise<Ended> {
    return this.run(["bash", "-c", script, "bash", ...args], options);
  }
}

export function onMachine(test: (machine: TestMachine) => Promise<void>): Promise<void> {
  return withFiles(({ files }) => test(new TestMachine(files)));
}

export function utf8(text: string): string {
  return toByteString(new TextEncoder().encode(text));
}
