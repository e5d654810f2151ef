/** Of proxies, which these tests do not use. */
export function connect(): never {
  throw new Error("no sockets here");
}
