import { createServer } from "node:http2";
import { Socket } from "node:net";
import { LocalMachine } from "./local-machine.ts";
import { listenForPrograms } from "./network-listener.ts";
import { serveMachine } from "./serve-machine.ts";

/**
 * The agent runs as the sandbox's root, beside the session's own programs, which may end or change it. So it
 * knows no secret, and the host believes nothing that it says. It serves the sandbox's files and processes by
 * HTTP/2 over the inherited socket HOST_SOCKET.
 */
const HOST_SOCKET = 3;

/** A stream's window; that of the connection has no limit, so that an unread stream does not stop others. */
const STREAM_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 2 ** 31 - 1;

process.umask(0o022);
const { MAX_PROCESSES, NETWORK_SOCKET } = process.env;
const proxy = NETWORK_SOCKET === undefined ? undefined : await listenForPrograms(NETWORK_SOCKET);
const machine = new LocalMachine({
  root: "",
  limit: Number(MAX_PROCESSES),
  environment: proxy === undefined ? {} : proxyVariables(proxy),
  switchesUser: true,
});

const server = createServer({
  maxSessionMemory: 256,
  settings: { initialWindowSize: STREAM_WINDOW_BYTES, maxConcurrentStreams: 4096 },
});
server.on("session", (session) => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
server.on("request", (request, response) => void serveMachine(machine, request, response));
const socket = new Socket({ fd: HOST_SOCKET });
socket.on("close", () => process.exit(0));
server.emit("connection", socket);

function proxyVariables(url: string): Record<string, string> {
  const variables = { http_proxy: url, https_proxy: url, no_proxy: "localhost,127.0.0.1,::1" };
  const upperCase = Object.entries(variables).map(([name, value]) => [name.toUpperCase(), value]);
  // Node and its package managers.
  return { ...variables, ...Object.fromEntries(upperCase), NODE_USE_ENV_PROXY: "1" };
}
