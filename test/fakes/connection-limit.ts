const MAX_CONNECTIONS = 6;

/** Owner of connections: an invocation of a Worker, or an object with all of its requests. */
interface Owner {
  /** The runtime lets only its owner use it. */
  mark: WebSocket;
  connecting: number;
  waiting: (() => void)[];
}

const owners: Owner[] = [];

/**
 * Makes a connection as the platform does: an invocation "can have up to six connections simultaneously
 * waiting for response headers", and a seventh is queued until one of them has its headers
 * (https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections). "A Durable
 * Object shares one I/O context across all concurrent requests to the same object"
 * (https://developers.cloudflare.com/dynamic-workers/platform/limits/), and the same six
 * (https://developers.cloudflare.com/durable-objects/platform/limits/). The list of calls that count names
 * `fetch()`. It names no RPC to objects. The local runtime has no such limit.
 */
export async function connectWithinLimit(connect: () => Promise<Response>): Promise<Response> {
  const owner = owners.find(isCurrent) ?? addOwner();
  if (owner.connecting >= MAX_CONNECTIONS) {
    const turn = Promise.withResolvers<void>();
    owner.waiting.push(turn.resolve);
    await turn.promise;
  } else owner.connecting += 1;
  try {
    return await connect();
  } finally {
    const next = owner.waiting.shift();
    if (next === undefined) owner.connecting -= 1;
    else next();
  }
}

function addOwner(): Owner {
  const { 0: mark } = new WebSocketPair();
  const owner = { mark, connecting: 0, waiting: [] };
  owners.push(owner);
  return owner;
}

/** Reading the state of another owner's socket throws. */
function isCurrent({ mark }: Owner): boolean {
  try {
    return mark.readyState >= 0;
  } catch {
    return false;
  }
}
