import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { Service } from "./service.ts";

const SETTINGS = {
  MAX_POOLED_SESSIONS: "1000",
  // The tests' proxies and sites listen on this machine.
  ALLOW_PRIVATE_ADDRESSES: "true",
  PROXY_CHECK_URL: "http://echo.test/",
};

/**
 * Shares one service among all test files of a run by a control server: `GET /` returns its base URL, `GET
 * /log` streams its output, and `POST /secrets` registers a secret. The service starts with the first
 * request.
 *
 * @returns the teardown, which fails the run when the service left a process running or printed a secret.
 */
export default async function shareService(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Service> | undefined;
  const server = createServer(async (request, response) => {
    starting ??= Service.start({ settings: SETTINGS });
    try {
      await handle(await starting, request, response);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The shared service has no port");
  project.provide("sharedService", `http://127.0.0.1:${address.port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    const service = await starting?.catch(() => undefined);
    try {
      await service?.end();
    } catch (error) {
      // Vitest prints errors of a teardown without failing the run.
      process.exitCode = 1;
      throw error;
    }
  };
}

async function handle(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (request.url) {
    case "/log":
      response.on(
        "close",
        service.log.onLine((line) => response.write(`${line}\n`)),
      );
      response.flushHeaders();
      return;
    case "/secrets":
      service.keepSecret(await text(request));
      response.end();
      return;
    default:
      response.end(JSON.stringify({ baseURL: service.baseURL, stateDirectory: service.stateDirectory }));
  }
}
