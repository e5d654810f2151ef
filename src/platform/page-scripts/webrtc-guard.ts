type PeerConnection = typeof RTCPeerConnection;
type SetConfiguration = RTCPeerConnection["setConfiguration"];
type ConstructorArguments = [configuration?: RTCConfiguration, constraints?: unknown];

interface OldIceServer extends RTCIceServer {
  url?: string;
}

/**
 * Keeps WebRTC from bypassing a proxy, which Chrome uses for TCP only: peer connections use TCP relays. Pages
 * can replace built-ins, so all lookups happen first, and objects passed to the browser have no prototype.
 */
export function guardWebRtc(): void {
  const { apply, construct } = Reflect;
  const { defineProperty } = Object;
  const { exec } = RegExp.prototype;
  const toText = String;
  const iterator = Symbol.iterator;
  const matches = (pattern: RegExp, text: string) => apply(exec, pattern, [text]) !== null;
  const isTCP = (url: string) =>
    matches(/^turns:/i, url)
      ? !matches(/[?&]transport=udp/i, url)
      : matches(/^turn:.*[?&]transport=tcp/i, url);
  const put = <T extends object>(target: T, name: PropertyKey, value: unknown): T => {
    const descriptor = { __proto__: null, value, configurable: true, enumerable: true, writable: true };
    return defineProperty(target, name, descriptor);
  };
  const newList = <T = unknown>(): T[] => {
    const list: T[] = [];
    return put(list, iterator, () => {
      let index = 0;
      return {
        __proto__: null,
        next: () => {
          const done = index >= list.length;
          index += 1;
          return { __proto__: null, done, value: done ? undefined : list[index - 1] };
        },
      };
    });
  };
  const toGuarded = (configuration: RTCConfiguration | undefined) => {
    const iceServers = newList();
    const servers: Iterable<OldIceServer> = configuration?.iceServers ?? newList<OldIceServer>();
    for (const server of servers) {
      const { urls = server.url } = server;
      const given = typeof urls === "string" ? put(newList<string>(), 0, urls) : (urls ?? newList<string>());
      for (const address of given) {
        const url = toText(address);
        if (isTCP(url)) {
          put(iceServers, iceServers.length, { __proto__: null, ...server, urls: url, url: undefined });
        }
      }
    }
    return { __proto__: null, ...configuration, iceServers, iceTransportPolicy: "relay" };
  };
  const Native = globalThis.RTCPeerConnection;
  if (Native === undefined) return;
  const constructing = {
    __proto__: null,
    construct: (target: PeerConnection, given: ConstructorArguments, newTarget: PeerConnection): object => {
      const args = put(newList(), 0, toGuarded(given[0]));
      if (given.length > 1) put(args, 1, given[1]);
      return construct(target, args, newTarget === Guarded ? target : newTarget);
    },
  };
  const configuring = {
    __proto__: null,
    apply: (target: SetConfiguration, self: unknown, given: ConstructorArguments) =>
      apply(target, self, put(newList(), 0, toGuarded(given[0]))),
  };
  const Guarded: PeerConnection = new Proxy(Native, constructing);
  const { prototype } = Native;
  put(prototype, "constructor", Guarded);
  put(prototype, "setConfiguration", new Proxy(prototype.setConfiguration, configuring));
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    if (name in globalThis) put(globalThis, name, Guarded);
  }
}
