import { WorkerEntrypoint } from "cloudflare:workers";
import { allows, hostOf, portOf } from "../../network/network-access.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../network/network-error.ts";
import { resolvePublicHost } from "../../network/public-host.ts";
import { resolveName } from "../../network/resolve.ts";
import { readSettings } from "../../settings.ts";

export interface AppGatewayProps {
  organizationId: string;
  invocationId: string;
  /** Under which the app reaches this service. */
  origin: string;
}
