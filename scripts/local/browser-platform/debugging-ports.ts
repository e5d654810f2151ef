import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Ports that Chrome blocks for pages (Chromium's `net/base/port_util.cc`), without those that services often use. Ports
 * below 1024 need root.
 */
const RESTRICTED_PORTS: readonly number[] = [
  ...[1719, 1720, 1723, 3659, 4045, 5060, 5061, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080],
  ...[
    1, 7, 9, 11, 13, 15, 17, 19, 37, 42, 43, 77, 79, 87, 95, 101, 102, 103, 104, 109, 113, 115, 117, 119, 135,
    137,
  ],
  ...[139, 161, 179, 427, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 601, 989, 990],
];

/** Chrome listens on the first free one. */
const LOOPBACK_ADDRESSES = ["127.0.0.1", "::1"];

/** Ports for DevTools that pages cannot reach. Otherwise a page could control another session's browser. */
export class DebuggingPorts {
  /** Ports of browsers that are starting. */
  readonly #reserved = new Set<number>();

  /** Reserves a free port until {@link release}. @returns undefined when none is free. */
  async reserve(): Promise<number | undefined> {
    // Avoids collisions with other services on this machine.
    const start = Math.floor(Math.random() * RESTRICTED_PORTS.length);
    for (const port of [...RESTRICTED_PORTS.slice(start), ...RESTRICTED_PORTS.slice(0, start)]) {
      if (this.#reserved.has(port)) continue;
      this.#reserved.add(port);
      if (await isFree(port)) return port;
      this.#reserved.delete(port);
    }
    return undefined;
  }

  release(port: number): void {
    this.#reserved.delete(port);
  }
}

async function isFree(port: number): Promise<boolean> {
  for (const address of LOOPBACK_ADDRESSES) {
    if (await canListen(address, port)) return true;
  }
  return false;
}

async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
