import { once } from "node:events";
import { createServer } from "node:http";
import { type RegistryPackage, respondAsRegistry } from "../fakes/package-registry.ts";

export interface PackageServer extends AsyncDisposable {
  origin: string;
  /** Requested paths, in order. */
  readonly asked: string[];
  /** Delays responses until the returned function is called. */
  hold(): () => void;
}

/** Starts a local package registry. */
export async function openPackageServer(packages: Record<string, RegistryPackage>): Promise<PackageServer> {
  const asked: string[] = [];
  let released: Promise<void> = Promise.resolve();
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    asked.push(path);
    await released;
    const answer = await respondAsRegistry(`http://${request.headers.host}`, packages, path);
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": answer.type }).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The registry has no port");
  return {
    origin: `http://127.0.0.1:${address.port}`,
    asked,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      return resolve;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
