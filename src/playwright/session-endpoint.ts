import { WorkerEntrypoint } from "cloudflare:workers";
import { openSessionSocket } from "../browser-sessions/session-object.ts";
import { ServiceError } from "../http/errors.ts";
import { toErrorResponse } from "../http/wire-error.ts";

export interface SessionEndpointProps {
  sessionId: string;
  /** The lease that it is good for, where the session belongs to a pool. */
  lease: number | undefined;
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
    const { sessionId, lease, runId } = this.ctx.props;
    return openSessionSocket(this.env, sessionId, "/", lease, runId);
  }
}
