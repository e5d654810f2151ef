import { WorkerEntrypoint } from "cloudflare:workers";
import { ServiceError, serviceUnavailable } from "../../common/errors.ts";
import { readSettings } from "../../common/settings.ts";
import { toErrorResponse } from "../../http/wire-error.ts";
import { requireDestination } from "../../network/destination.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../network/network-error.ts";
import { outgoingFetch } from "../../network/outgoing-fetch.ts";
import { resolveName } from "../../network/resolve.ts";
import type { Run } from "../../organizations/index.ts";
import { isRunActive } from "./active-runs.ts";

/** Whose gateway it is. */
export interface AppGatewayProps extends Omit<Run, "expiresAt"> {
  /** Under which the app reaches this service. */
  origin: string;
}

/**
 * Where an app's requests go, WebSockets included: to this service, without leaving it, and wherever else the
 * deployment lets apps connect. Redirects come here one by one, because the runtime follows them on the app's side.
 * What a run asks for that has finished is refused: whatever goes on of it reaches nothing.
 */
export class AppGateway extends WorkerEntrypoint<Env, AppGatewayProps> {
  override async fetch(request: Request): Promise<Response> {
    const { origin, ...run } = this.ctx.props;
    try {
      if (!(await isRunActive(this.env, run)))
        throw new ServiceError("forbidden", "The invocation has finished");
      if (new URL(request.url).origin !== origin) return await this.#passOn(request);
    } catch (error) {
      return toErrorResponse(toServiceError(error));
    }
    return this.ctx.exports.default.fetch(request);
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
    const send = outgoingFetch(this.env, { allowPrivateAddresses });
    return send(new Request(request, { headers, redirect: "manual", cf: {} }));
  }
}

/** An answer and no exception: what an app asks for in vain is no failure of the service. */
function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof NetworkRefusedError) return new ServiceError("forbidden", error.message);
  if (error instanceof NetworkFailedError) return serviceUnavailable(error.message);
  return serviceUnavailable("The host cannot be reached", 1, error);
}
