import { WorkerEntrypoint } from "cloudflare:workers";

export interface AppGatewayProps {
  organizationId: string;
  invocationId: string;
  /** Under which the app reaches this service. */
  origin: string;
}

/** Where an app's requests go: to this service, and where the deployment lets apps connect. */
export class AppGateway extends WorkerEntrypoint<Env, AppGatewayProps> {}
