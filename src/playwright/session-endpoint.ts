import { WorkerEntrypoint } from "cloudflare:workers";

export interface SessionEndpointProps {
  sessionId: string;
}

/** The one thing that a script reaches: a socket to the browser of its session. */
export class SessionEndpoint extends WorkerEntrypoint<Env, SessionEndpointProps> {}
