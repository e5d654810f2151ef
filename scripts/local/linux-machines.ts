import { randomUUID } from "node:crypto";
import { freemem } from "node:os";
import { join } from "node:path";
import { findObstacle, HostServer, Machines } from "session-host/host";
import { SetUpError } from "./set-up-error.ts";

/** The variable of the environment that asks serve.ts for Linux machines. */
export const LINUX = "BERTH_LINUX";

const MEBIBYTE = 2 ** 20;

const MAX_LIMITS = {
  files: 1_000_000,
  processes: 1000,
  tasks: 4096,
  memoryBytes: 16_384 * MEBIBYTE,
  cpus: 64,
};

/** @throws SetUpError if this computer cannot run Linux machines. */
export function requireSandboxes(): void {
  if (process.platform !== "linux")
    throw new SetUpError(
      "--linux needs Linux. Elsewhere, run the session host in Docker and name it in the setting HOSTS: see docs/run-a-host.md.",
    );
  const obstacle = findObstacle();
  if (obstacle !== undefined) throw new SetUpError(`--linux cannot run machines here: ${obstacle}.`);
}

/** A session host in this process. */
export class LinuxMachines {
  /** The settings that make the Worker use it. */
  readonly settings: Record<string, string>;
  readonly #server: HostServer;
  readonly #machines: Machines;

  private constructor(server: HostServer, machines: Machines, settings: Record<string, string>) {
    this.#server = server;
    this.#machines = machines;
    this.settings = settings;
  }

  /** @param folder for its sockets; a short path. */
  static async open(folder: string): Promise<LinuxMachines> {
    const token = randomUUID() + randomUUID();
    const machines = new Machines({
      folder: join(folder, "m"),
      maxMachines: 100,
      maxLimits: { ...MAX_LIMITS, fileBytes: freemem() },
      prepared: 1,
      onEvent: (event, fields) => console.log(JSON.stringify({ event, ...fields })),
    });
    const server = new HostServer(machines, token);
    const port = await server.listen(0, "127.0.0.1");
    const hosts = [{ name: "local", url: `http://127.0.0.1:${port}` }];
    const settings = { MACHINE: "linux", HOSTS: JSON.stringify(hosts), HOSTS_TOKEN: token };
    return new LinuxMachines(server, machines, settings);
  }

  async close(): Promise<void> {
    await this.#machines.close();
    await this.#server.close();
  }
}
