import { connect } from "cloudflare:sockets";
import { toUrlHost } from "../../lib/common/canonical-host.ts";
import type { Deadline } from "../../platform/network/deadline.ts";
import { NetworkFailedError } from "../../platform/network/network-error.ts";
import { resolvePublicHost } from "../../platform/network/public-host.ts";
import { type ResolveName, resolveName } from "../../platform/network/resolve.ts";
import type { ProxyEndpoint } from "./proxy-endpoint.ts";

/** Enough to skip an address that is down, or of an unroutable family. */
const MAX_ADDRESSES = 3;

export interface ConnectTarget {
  hosts: string[];
  port: number;
  isSecure: boolean;
}

/**
 * Resolves the host of a user-defined proxy to public addresses. Connecting to these prevents DNS rebinding.
 *
 * An https proxy needs its name, because the platform's `startTls` sends no other SNI (workerd issue 6903).
 * After DNS rebinding, the wrong host gets only the start of a TLS handshake, unless it has a public
 * certificate for the name.
 *
 * @throws NetworkRefusedError `private_address`
 * @throws NetworkFailedError `unresolved`
 */
export async function findConnectTarget(
  { protocol, host, port, isUserDefined }: ProxyEndpoint,
  { allowPrivateAddresses, resolve = resolveName }: { allowPrivateAddresses: boolean; resolve?: ResolveName },
): Promise<ConnectTarget> {
  const isSecure = protocol === "https";
  if (!isUserDefined || allowPrivateAddresses) return { hosts: [host], port, isSecure };
  const addresses = await resolvePublicHost(host, resolve);
  return { hosts: isSecure ? [host] : addresses.slice(0, MAX_ADDRESSES), port, isSecure };
}

/** Connects to the first reachable host, and closes the connection after `use`. @throws NetworkFailedError */
export async function withConnection<T>(
  { hosts, port, isSecure }: ConnectTarget,
  deadline: Deadline,
  use: (socket: Socket) => Promise<T>,
): Promise<T> {
  let failure: unknown;
  for (const hostname of hosts) {
    const address = { hostname: toUrlHost(hostname), port };
    let socket: Socket | undefined;
    try {
      // `connect` throws for an invalid address, and `opened` rejects for an unreachable one.
      socket = openSocket(address, isSecure);
      await deadline.limit(socket.opened);
    } catch (error) {
      close(socket);
      deadline.signal.throwIfAborted();
      failure = error;
      continue;
    }
    try {
      return await deadline.limit(use(socket));
    } finally {
      close(socket);
    }
  }
  throw new NetworkFailedError("unreachable", "Could not connect to the proxy", { cause: failure });
}

function openSocket(address: SocketAddress, isSecure: boolean): Socket {
  const socket = connect(address, { secureTransport: isSecure ? "on" : "off", allowHalfOpen: false });
  // It rejects along with reads and writes, where the error is handled.
  socket.closed.catch(() => {});
  return socket;
}

function close(socket: Socket | undefined): void {
  socket?.close().catch(() => {});
}
