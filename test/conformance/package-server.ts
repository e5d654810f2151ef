import { type RegistryPackage, respondAsRegistry } from "../fakes/package-registry.ts";
import { type LocalServer, serveHTTP } from "../outside/local-server.ts";

export interface PackageServer extends LocalServer {
  /** Requested paths, in order. */
  readonly asked: string[];
  /** Delays responses until the returned function is called. */
  hold(): () => void;
}

/** Starts a local package registry. */
export async function openPackageServer(packages: Record<string, RegistryPackage>): Promise<PackageServer> {
  const asked: string[] = [];
  let released: Promise<void> = Promise.resolve();
  const server = await serveHTTP(async (request, response) => {
    const path = request.url ?? "/";
    asked.push(path);
    await released;
    const answer = await respondAsRegistry(`http://${request.headers.host}`, packages, path);
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": answer.type }).end(answer.body);
  });
  return {
    ...server,
    asked,
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      released = promise;
      return resolve;
    },
  };
}
