import type { IncomingMessage, ServerResponse } from "node:http";
import { runScript } from "../../conformance/run-script.ts";
import { CloudflareStandIn } from "./cloudflare/stand-in.ts";
import type { AccountOptions } from "./cloudflare/state.ts";

/** An account whose deployed Worker answers a deployment's check like the service (see deploy.test.ts). */
export async function openAccount(options?: AccountOptions): Promise<CloudflareStandIn> {
  const standIn = await CloudflareStandIn.open(options);
  respondAsService(standIn);
  return standIn;
}

export function respondAsService(standIn: CloudflareStandIn, canStart = true): void {
  standIn.respond = (request: IncomingMessage, response: ServerResponse) => {
    const send = (status: number, body?: object) =>
      response.writeHead(status).end(body && JSON.stringify(body));
    const isAdmin = request.headers.authorization === `Bearer ${secretsOf(standIn).ADMIN_TOKEN}`;
    const isUser = request.headers.authorization === "Bearer key";
    const route = `${request.method} ${request.url}`;
    if (route === "GET /health") send(200, { status: "ok" });
    else if (route === "POST /admin/organizations" && isAdmin)
      send(201, { id: "o1", api_key: { key: "key" } });
    else if (route === "POST /browsers" && isUser && canStart) send(200, { session_id: "s1" });
    else if (route === "POST /browsers" && isUser) send(503, { code: "browser_unavailable" });
    else if (route === "DELETE /browsers/s1" && isUser) send(204);
    else if (route === "DELETE /admin/organizations/o1" && isAdmin) send(204);
    else send(401, { code: "unauthorized" });
  };
}

export function deploy(
  standIn: CloudflareStandIn,
  environment: NodeJS.ProcessEnv = {},
  args: readonly string[] = ["--yes"],
) {
  return runScript("deploy", args, { ...standIn.environment, ...environment });
}

/** Returns the secrets that are in force. */
export function secretsOf({ state }: CloudflareStandIn, worker = "berth"): Record<string, string> {
  return state.workers.get(worker)?.secrets ?? {};
}
