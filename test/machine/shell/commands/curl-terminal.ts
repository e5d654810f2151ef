import { Bash } from "just-bash/browser";
import { SqlFileSystem } from "../../../../src/machine/file-system/sql-file-system.ts";
import { ProcessTable } from "../../../../src/machine/processes/process-table.ts";
import { InputStream } from "../../../../src/machine/shell/byte-input.ts";
import { KeptOutput } from "../../../../src/machine/shell/byte-output.ts";
import { fromByteString } from "../../../../src/machine/shell/byte-strings.ts";
import type { CommandEnvironment } from "../../../../src/machine/shell/command-environment.ts";
import { curl } from "../../../../src/machine/shell/commands/curl.ts";
import { toShellCommand } from "../../../../src/machine/shell/commands/invocation.ts";
import { wget } from "../../../../src/machine/shell/commands/wget.ts";
import { DEFAULT_SHELL_LIMITS } from "../../../../src/machine/shell/limits.ts";
import { credentialsOf, KERNEL_USER } from "../../../../src/machine/users.ts";
import { type GuardOptions, newGuardedFetch } from "../../../../src/network/guarded-fetch.ts";
import { NetworkFailedError } from "../../../../src/network/network-error.ts";
import { TimeSlice } from "../../../../src/time-slice.ts";
import { inside } from "../../../objects.ts";

/** A server of the made-up Internet. */
export type Answer = (request: Request) => Response | Promise<Response>;

export interface Result {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** A shell that has curl and wget, before a made-up Internet, over a new file system. */
export interface Terminal {
  run(script: string): Promise<Result>;
  read(path: string): Uint8Array;
  write(path: string, bytes: Uint8Array): void;
  list(path: string): string[];
  /** Ends the process that the shell is. */
  kill(): void;
  /** What has reached a server. */
  sent: Request[];
}

const HOME = KERNEL_USER.home;

/** Hosts that have addresses. */
const HOSTS: Record<string, string> = {
  "example.com": "93.184.215.14",
  "other.example": "93.184.215.15",
  "sub.example.com": "93.184.215.16",
  "inside.example": "10.0.0.7",
};

/**
 * @param answer answers all requests; one that throws is a connection that fails.
 */
export async function atTerminal<T>(
  answer: Answer,
  work: (terminal: Terminal) => Promise<T>,
  options: Partial<GuardOptions> = {},
): Promise<T> {
  return await inside(`curl ${crypto.randomUUID()}`, async (storage) => {
    const slice = new TimeSlice();
    const files = new SqlFileSystem({
      sql: storage.sql,
      transaction: (action) => storage.transactionSync(action),
      quotaBytes: 100 * 1024 * 1024,
      slice,
    });
    files.create();
    const sent: Request[] = [];
    const death = new AbortController();
    const credentials = credentialsOf(KERNEL_USER);
    const environment: CommandEnvironment = {
      files,
      user: KERNEL_USER,
      credentials,
      pid: 100,
      processes: new ProcessTable(8),
      slice,
      signal: death.signal,
      limits: DEFAULT_SHELL_LIMITS,
      machineName: "berth",
      bootedAt: 0,
      fetch: newGuardedFetch({
        allowPrivateAddresses: false,
        allow: "all",
        settingName: "MACHINE_NETWORK",
        resolve: async (name) => {
          const address = HOSTS[name];
          if (!address) throw new NetworkFailedError("unresolved", `Could not resolve host: ${name}`);
          return [address];
        },
        fetch: async (url, init) => {
          const request = new Request(url, init);
          sent.push(request.clone());
          return await answer(request);
        },
        maxRedirects: 20,
        maxResponseBytes: 1024 * 1024,
        timeoutMs: 5000,
        ...options,
      }),
      input: (context) => new InputStream(fromByteString(String(context.stdin))),
      output: () => new KeptOutput(DEFAULT_SHELL_LIMITS.textBytes),
      keepEndless: () => undefined,
      run: async () => 127,
    };
    return await work({
      async run(script) {
        const bash = new Bash({
          customCommands: [curl, wget].map((command) => toShellCommand(command, environment)),
        });
        await bash.exec(`mkdir -p ${HOME}`);
        const { stdout, stderr, exitCode } = await bash.exec(`cd ${HOME}; ${script}`);
        return { stdout, stderr, exitCode };
      },
      read: (path) => files.readAll(absolute(path), credentials),
      write: (path, bytes) => files.writeAll(absolute(path), bytes, credentials),
      list: (path) => files.list(absolute(path), credentials).map(({ name }) => name),
      kill: () => death.abort(new Error("killed")),
      sent,
    });
  });
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : `${HOME}/${path}`;
}
