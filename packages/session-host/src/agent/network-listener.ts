import { once } from "node:events";
import { connect, createServer } from "node:net";

const PORT = 3128;

/**
 * Passes connections of the sandbox's programs to the host's forwarder, behind a Unix socket.
 *
 * @returns the URL of the proxy for the sandbox's programs.
 */
export async function listenForPrograms(socketPath: string): Promise<string> {
  const server = createServer((program) => {
    const host = connect(socketPath);
    program.pipe(host).pipe(program);
    program.on("error", () => host.destroy());
    host.on("error", () => program.destroy());
    program.on("close", () => host.destroy());
    host.on("close", () => program.destroy());
  });
  await once(server.listen(PORT, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${PORT}`;
}
