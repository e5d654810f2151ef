import "../../../test/features/machine/routes/workerd-globals.ts";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findObstacle, HostServer, Machines } from "session-host/host";
import type { HostAddress } from "../src/client/remote-machine.ts";

const MEBIBYTE = 2 ** 20;

/** The tests' scripts also need Python, which most computers have. */
export const hasSandboxes = findObstacle() === undefined && existsSync("/usr/bin/python3");

export const HOST_LIMITS = {
  fileBytes: 512 * MEBIBYTE,
  files: 50_000,
  processes: 64,
  tasks: 512,
  memoryBytes: 1024 * MEBIBYTE,
  cpus: 2,
};

export interface TestHost extends HostAddress {
  machines: Machines;
  close(): Promise<void>;
}

/** A host in this process, at a free port. */
export async function startHost(
  options: { maxMachines?: number; prepared?: number } = {},
): Promise<TestHost> {
  const folder = mkdtempSync(join(tmpdir(), "host-"));
  const token = crypto.randomUUID();
  const machines = new Machines({
    folder,
    maxMachines: 40,
    maxLimits: HOST_LIMITS,
    prepared: 0,
    onEvent: () => undefined,
    ...options,
  });
  const server = new HostServer(machines, token);
  const port = await server.listen(0, "127.0.0.1");
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    machines,
    async close() {
      await machines.close();
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}
