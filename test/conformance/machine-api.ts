import Kernel from "@onkernel/sdk";
import { hasSandboxes } from "../../packages/session-host/test/host.ts";
import type { MachineKind } from "../../src/lib/common/machines.ts";

/** The machines that the shared service has on this computer. */
export const MACHINES: MachineKind[] = hasSandboxes ? ["simulated", "linux"] : ["simulated"];

export type ExecParams = Kernel.Browsers.ProcessExecParams;

export function textOf(base64: string | undefined): string {
  return Buffer.from(base64 ?? "", "base64").toString();
}

/** @returns 200, or the status of the API's error. */
export async function statusOf(work: Promise<unknown>): Promise<number | undefined> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof Kernel.APIError) return error.status;
    throw error;
  }
}

/** The processes of a session's machine. */
export class Processes {
  readonly #kernel: Kernel;
  readonly #session: string;

  constructor(kernel: Kernel, session: string) {
    this.#kernel = kernel;
    this.#session = session;
  }

  async exec(params: ExecParams) {
    const ended = await this.#kernel.browsers.process.exec(this.#session, params);
    const { exit_code: code, stdout_b64, stderr_b64, duration_ms: ms } = ended;
    return { code, out: textOf(stdout_b64), error: textOf(stderr_b64), ms };
  }

  /** Starts a script in bash. */
  async spawn(script: string) {
    const params = { command: "bash", args: ["-c", script] };
    const { process_id, pid, started_at } = await this.#kernel.browsers.process.spawn(this.#session, params);
    if (process_id === undefined) throw new Error("no process_id");
    return { processId: process_id, pid, startedAt: started_at };
  }

  /** Reads a process's whole output and its exit code. */
  async follow(processId: string) {
    const written = { stdout: "", stderr: "" };
    const stream = await this.#kernel.browsers.process.stdoutStream(processId, { id: this.#session });
    for await (const { event, exit_code, stream: of, data_b64 } of stream) {
      if (event === "exit") return { ...written, code: exit_code };
      if (of !== undefined) written[of] += textOf(data_b64);
    }
    throw new Error("The stream ended without an exit");
  }
}
