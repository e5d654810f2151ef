import { WorkerEntrypoint } from "cloudflare:workers";
import { ServiceError, serviceUnavailable } from "../../http/errors.ts";
import { toErrorResponse } from "../../http/wire-error.ts";
import { requireDestination } from "../../network/destination.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../network/network-error.ts";
import { resolveName } from "../../network/resolve.ts";
import { readSettings } from "../../settings.ts";

export interface AppGatewayProps {
  /** Under which the app reaches this service. */
  origin: string;
}

/**
 * Where an app's requests go, WebSockets included: to this service, without leaving it, and wherever else the
 * deployment lets apps connect. Redirects come here one by one, because the runtime follows them on the app's side.
 */
export class AppGateway extends WorkerEntrypoint<Env, AppGatewayProps> {
  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).origin === this.ctx.props.origin) return this.ctx.exports.default.fetch(request);
    try {
      return await this.#passOn(request);
    } catch (error) {
      return toErrorResponse(toServiceError(error));
    }
  }

  /** What is no HTTP goes nowhere. */
  override async connect(socket: Socket): Promise<void> {
    await socket.close();
  }

  async #passOn(request: Request): Promise<Response> {
    const { apps, allowPrivateAddresses } = readSettings(this.env);
    await requireDestination(new URL(request.url), {
      allow: apps.network,
      settingName: "APP_NETWORK",
      allowPrivateAddresses,
      resolve: resolveName,
    });
    const headers = new Headers(request.headers);
    // It would reach another site than the one that was looked at.
    headers.delete("host");
    // Nor may the app say how the platform is to fetch: from which host, or into the cache of this service.
    return fetch(new Request(request, { headers, redirect: "manual", cf: {} }));
  }
}

/** An answer and no exception: what an app asks for in vain is no failure of the service. */
function toServiceError(error: unknown): ServiceError {
  if (error instanceof NetworkRefusedError) return new ServiceError("forbidden", error.message);
  if (error instanceof NetworkFailedError) return serviceUnavailable(error.message);
  return serviceUnavailable("The host cannot be reached", 1, error);
}
