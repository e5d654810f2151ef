import { WorkerEntrypoint } from "cloudflare:workers";
import { ServiceError } from "../../lib/common/errors.ts";
import { toErrorResponse } from "../../lib/http/wire-error.ts";
import { type AddressGrant, openSessionSocket } from "../sessions/index.ts";

export interface SessionEndpointProps {
  sessionId: string;
  grant: AddressGrant;
  runId: string;
}

/**
 * Everything a script can reach: sockets to the browser of its session, while it runs.
 *
 * @example
 * const browser = exports.SessionEndpoint({ props: { sessionId, grant, runId } });
 */
export class SessionEndpoint extends WorkerEntrypoint<Env, SessionEndpointProps> {
  override async fetch(request: Request): Promise<Response> {
    const isSocket = request.headers.get("upgrade") === "websocket" && new URL(request.url).pathname === "/";
    if (!isSocket) {
      return toErrorResponse(new ServiceError("forbidden", "A script can reach only its session's browser"));
    }
    const { sessionId, grant, runId } = this.ctx.props;
    return openSessionSocket(this.env, sessionId, "/", grant, { runId, skipsHungTabs: true });
  }
}
