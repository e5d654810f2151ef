import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { Service } from "./service.ts";

/** What most test files need, and none of those that share the service minds. */
const SETTINGS = {
  MAX_POOLED_SESSIONS: "1000",
  // Proxies and sites of the tests are on this machine.
  ALLOW_PRIVATE_ADDRESSES: "true",
  PROXY_CHECK_URL: "http://echo.test/",
};

/**
 * Offers one service to all test files of a run: `GET /` answers with its address, `GET /log` with its output from
 * then on, `POST /secrets` notes what the output must not tell. It is started when the first file asks.
 *
 * @returns what stops it. A process that it leaves or a secret that it told fails the run.
 */
export default async function shareService(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Service> | undefined;
  const server = createServer(async (request, response) => {
    starting ??= Service.start({ settings: SETTINGS });
    try {
      await answer(await starting, request, response);
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
      // Vitest prints what a teardown throws, and calls the run a success.
      process.exitCode = 1;
      throw error;
    }
  };
}

async function answer(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
      response.end(JSON.stringify({ baseURL: service.baseURL }));
  }
}
