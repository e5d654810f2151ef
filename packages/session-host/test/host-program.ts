import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const MAIN = join(import.meta.dirname, "..", "src", "main.ts");

/** The program `session-host`, with a token and folder of its own. */
export class HostProgram {
  readonly token: string;
  readonly folder = mkdtempSync(join(tmpdir(), "host-"));
  #child: ChildProcess | undefined;
  port = 0;

  constructor(token: string = randomUUID()) {
    this.token = token;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.#child?.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it at a free port, or again at the same one. @param args options of the program. */
  start(...args: string[]): Promise<void> {
    return this.startIn([], ...args);
  }

  /** @param wrapper a program that runs the one that follows. */
  async startIn(wrapper: string[], ...args: string[]): Promise<void> {
    const options = ["--port", String(this.port), "--address", "127.0.0.1", "--folder", this.folder];
    const [program = "", ...others] = [...wrapper, process.execPath, MAIN, ...options, ...args];
    const child = spawn(program, others, {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, SESSION_HOST_TOKEN: this.token },
    });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const { event, port } = JSON.parse(line);
      if (event !== "listening") continue;
      this.port = port;
      child.stdout.resume();
      return;
    }
    throw new Error("The host did not start");
  }

  /** @returns the exit code. */
  async signal(signal: "SIGTERM" | "SIGKILL" | "SIGINT"): Promise<void> {
    this.#child?.kill(signal);
  }

  /** @returns the exit code; null after a signal. */
  async exited(): Promise<number | null> {
    if (this.isRunning && this.#child) await once(this.#child, "exit");
    return this.#child?.exitCode ?? null;
  }

  async end(): Promise<void> {
    this.#child?.kill("SIGINT");
    await this.exited();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async machines(): Promise<{ id: string; labels: Record<string, string> }[]> {
    const response = await this.send("GET", "/machines");
    return (await response.json()).machines;
  }

  send(method: string, path: string, token = this.token): Promise<Response> {
    return fetch(`${this.url}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
  }
}
