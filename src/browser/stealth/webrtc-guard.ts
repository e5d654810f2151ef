/**
 * Keeps WebRTC from going around a proxy: Chrome takes proxies for TCP only, and sends what WebRTC has to say over UDP
 * from the address of its own machine. In pages with this script peer connections go through relays that are reached by
 * TCP, hence through the proxy, or do not come about. A window that a page opens is held until it has this script too,
 * before the page can touch it.
 *
 * It is text, not a function turned into text: bundlers put calls of their own helpers into functions. A page may change
 * every built-in object, so nothing here is looked up in one later, and what the browser is given has no prototype.
 */
export const WEBRTC_GUARD = `(() => {
  const { apply, construct } = Reflect;
  const { defineProperty } = Object;
  const { exec } = RegExp.prototype;
  const toText = String;
  const iterator = Symbol.iterator;
  const matches = (pattern, text) => apply(exec, pattern, [text]) !== null;
  const isTCP = (url) =>
    matches(/^turns:/i, url) ? !matches(/[?&]transport=udp/i, url) : matches(/^turn:.*[?&]transport=tcp/i, url);
  const put = (target, name, value) =>
    defineProperty(target, name, { __proto__: null, value, configurable: true, enumerable: true, writable: true });
  const newList = () => {
    const list = [];
    put(list, iterator, () => {
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
    return list;
  };
  const toGuarded = (configuration) => {
    const iceServers = newList();
    for (const server of configuration?.iceServers ?? newList()) {
      const { urls = server.url } = server;
      const given = typeof urls === "string" ? put(newList(), 0, urls) : (urls ?? newList());
      for (const address of given) {
        const url = toText(address);
        if (isTCP(url)) put(iceServers, iceServers.length, { __proto__: null, ...server, urls: url, url: undefined });
      }
    }
    return { __proto__: null, ...configuration, iceServers, iceTransportPolicy: "relay" };
  };
  const Native = globalThis.RTCPeerConnection;
  if (Native === undefined) return;
  const Guarded = new Proxy(Native, {
    __proto__: null,
    construct: (target, given, newTarget) => {
      const rest = put(newList(), 0, toGuarded(given[0]));
      if (given.length > 1) put(rest, 1, given[1]);
      return construct(target, rest, newTarget === Guarded ? target : newTarget);
    },
  });
  const { prototype } = Native;
  put(prototype, "constructor", Guarded);
  put(
    prototype,
    "setConfiguration",
    new Proxy(prototype.setConfiguration, {
      __proto__: null,
      apply: (target, self, given) => apply(target, self, put(newList(), 0, toGuarded(given[0]))),
    }),
  );
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) {
    if (name in globalThis) put(globalThis, name, Guarded);
  }
})()`;
