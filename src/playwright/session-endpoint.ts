import { WorkerEntrypoint } from "cloudflare:workers";
import { ServiceError } from "../common/errors.ts";
import { toErrorResponse } from "../http/wire-error.ts";
import { type AddressGrant, openSessionSocket } from "../sessions/index.ts";

export interface SessionEndpointProps {
  sessionId: string;
  /** What the run may reach of it. */
  grant: AddressGrant;
  /** The run that the script is. */
  runId: string;
}

/** The one thing that a script reaches: sockets to the browser of its session, as clients have them, while it runs. */
export class SessionEndpoint extends WorkerEntrypoint<Env, SessionEndpointProps> {
  override async fetch(request: Request): Promise<Response> {
    const isSocket = request.headers.get("upgrade") === "websocket" && new URL(request.url).pathname === "/";
    if (!isSocket) {
      return toErrorResponse(
        new ServiceError("forbidden", "A script reaches the browser of its session only"),
      );
    }
    const { sessionId, grant, runId } = this.ctx.props;
    return openSessionSocket(this.env, sessionId, "/", grant, runId);
  }
}
