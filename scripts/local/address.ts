import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { SetUpError } from "./set-up-error.ts";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 8787;

export type Address = ReturnType<typeof readAddress>;

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/;

/** @throws SetUpError when PORT is invalid. */
export function readAddress(environment: NodeJS.ProcessEnv) {
  const host = environment.HOST || DEFAULT_HOST;
  const port = Number(environment.PORT || DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new SetUpError(`PORT is ${environment.PORT}, but must be a number from 1 to 65535.`);
  }
  return {
    host,
    port,
    /** For clients on this machine. */
    url: `http://${reachableHost(host)}:${port}`,
    isLoopback: LOOPBACK.test(host),
  };
}

function reachableHost(host: string): string {
  if (host === "0.0.0.0" || host === "*") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** @throws SetUpError when the address is not available. */
export async function requireFreePort({ host, port }: Pick<Address, "host" | "port">): Promise<void> {
  const server = createServer();
  try {
    await once(server.listen(port, host), "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") {
      throw new SetUpError(`Port ${port} is in use. Set PORT to another one: PORT=${port + 1} npm start`);
    }
    if (code === "EACCES")
      throw new SetUpError(`This user may not listen on port ${port}. Set PORT to 1024 or more.`);
    throw new SetUpError(`Cannot listen on HOST ${host} (${code ?? error}).`);
  } finally {
    server.close();
  }
}

/** @returns a port that no system gives to a program that asks for any, as Linux does from 32,768. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(20_000, 32_768);
    const error = await requireFreePort({ host: DEFAULT_HOST, port }).catch(String);
    if (error === undefined) return port;
  }
  throw new Error("No free port was found");
}
