import { connect } from "cloudflare:sockets";
import { toUrlHost } from "../network/canonical-host.ts";
import type { Deadline } from "../network/deadline.ts";
import { NetworkFailedError } from "../network/network-error.ts";
import { resolvePublicHost } from "../network/public-host.ts";
import { type ResolveName, resolveName } from "../network/resolve.ts";
import type { ProxyEndpoint } from "./proxy-endpoint.ts";

/** Of a name's addresses: enough for one that is down, or of a family that there is no route to. */
const MAX_ADDRESSES = 3;

/** Where to connect to, checked. */
export interface ConnectTarget {
  hosts: string[];
  port: number;
  isSecure: boolean;
}

/**
 * Where a proxy is connected to. One that a caller has chosen is on the Internet, unless private addresses are allowed:
 * its name is resolved here, and the connection goes to an address that was checked, so that no later answer to the
 * name matters.
 *
 * Of an https proxy the platform wants the name, because its `startTls` tells a server no other name than the one that
 * was connected to (workerd issue 6903). The name may have another address by then. What is there gets the beginning
 * of a TLS handshake and nothing more, unless it has a public certificate of that name.
 *
 * @throws NetworkRefusedError `private_address`
 * @throws NetworkFailedError `unresolved`
 */
export async function findConnectTarget(
  { protocol, host, port, isOfCaller }: ProxyEndpoint,
  { allowPrivateAddresses, resolve = resolveName }: { allowPrivateAddresses: boolean; resolve?: ResolveName },
): Promise<ConnectTarget> {
  const isSecure = protocol === "https";
  if (!isOfCaller || allowPrivateAddresses) return { hosts: [host], port, isSecure };
  const addresses = await resolvePublicHost(host, resolve);
  return { hosts: isSecure ? [host] : addresses.slice(0, MAX_ADDRESSES), port, isSecure };
}

/**
 * Runs `use` with a connection to the first host that takes one, and closes it on every path.
 *
 * @throws NetworkFailedError
 */
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
      // It throws for an address that it does not take, and `opened` rejects where nobody answers.
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
  // It rejects with the connection, and so does what is read from that.
  socket.closed.catch(() => {});
  return socket;
}

/** Nobody waits: a broken connection is closed already. */
function close(socket: Socket | undefined): void {
  socket?.close().catch(() => {});
}
