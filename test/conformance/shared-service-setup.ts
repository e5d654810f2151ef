import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { hasSandboxes } from "../../packages/session-host/test/host.ts";
import { serveHTTP } from "../outside/local-server.ts";
import { Service } from "./service.ts";

const SETTINGS = {
  MAX_POOLED_SESSIONS: "1000",
  // The tests' proxies and sites listen on this machine.
  ALLOW_PRIVATE_ADDRESSES: "true",
  PROXY_CHECK_URL: "http://echo.test/",
  // Tests ask for the other machine where this computer can run it.
  MACHINE: "simulated",
};

const SWITCHES = hasSandboxes ? ["--linux"] : [];

/**
 * Shares one service among all test files of a run by a control server: `GET /` returns its base URL, `GET
 * /log` streams its output, and `POST /secrets` registers a secret. The service starts with the first
 * request.
 *
 * @returns the teardown, which fails the run when the service left a process running or printed a secret.
 */
export default async function shareService(project: TestProject): Promise<() => Promise<void>> {
  let starting: Promise<Service> | undefined;
  const control = await serveHTTP(async (request, response) => {
    starting ??= Service.start({ settings: SETTINGS, switches: SWITCHES });
    try {
      await handle(await starting, request, response);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  project.provide("sharedService", control.origin);
  return async () => {
    await control[Symbol.asyncDispose]();
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
