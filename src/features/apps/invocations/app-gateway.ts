import { WorkerEntrypoint } from "cloudflare:workers";
import { ServiceError, serviceUnavailable } from "../../../lib/common/errors.ts";
import { readSettings } from "../../../lib/common/settings.ts";
import { toErrorResponse } from "../../../lib/http/wire-error.ts";
import { withoutCallerHeaders } from "../../../platform/network/caller-headers.ts";
import { requireAllowedDestination } from "../../../platform/network/destination.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../../platform/network/network-error.ts";
import { outgoingFetch } from "../../../platform/network/outgoing-fetch.ts";
import { resolveName } from "../../../platform/network/resolve.ts";
import type { Run } from "../../organizations/index.ts";
import { isRunActive } from "./active-runs.ts";

interface AppGatewayProps extends Omit<Run, "expiresAt"> {
  /** The origin at which the app reaches this service. */
  origin: string;
}

/**
 * Where an app's requests go: to this service, or to where the settings allow. Redirects come here one by
 * one, because the runtime follows them on the app's side. Requests of a finished run are refused.
 *
 * @example
 * const outbound = ctx.exports.AppGateway({ props: { origin, organizationId, projectId, invocationId } });
 */
export class AppGateway extends WorkerEntrypoint<Env, AppGatewayProps> {
  override async fetch(request: Request): Promise<Response> {
    const { origin, ...run } = this.ctx.props;
    const headers = withoutCallerHeaders(request.headers);
    try {
      if (!(await isRunActive(this.env, run)))
        throw new ServiceError("forbidden", "The invocation has finished");
      if (new URL(request.url).origin !== origin) return await this.#forward(request, headers);
    } catch (error) {
      return toErrorResponse(toServiceError(error));
    }
    // In the audit log and the count of failed authentications, the run replaces the client's address.
    headers.set("cf-connecting-ip", `invocation:${run.invocationId}`);
    return this.ctx.exports.default.fetch(new Request(request, { headers, cf: {} }));
  }

  override async connect(socket: Socket): Promise<void> {
    await socket.close();
  }

  async #forward(request: Request, headers: Headers): Promise<Response> {
    const { apps, allowPrivateAddresses } = readSettings(this.env);
    await requireAllowedDestination(new URL(request.url), {
      allow: apps.network,
      settingName: "APP_NETWORK",
      allowPrivateAddresses,
      resolve: resolveName,
    });
    // The `Host` header could name a site other than the one that was checked.
    headers.delete("host");
    // `cf` could change where the platform fetches from, or use this service's cache.
    const send = outgoingFetch(this.env, { allowPrivateAddresses });
    return send(new Request(request, { headers, redirect: "manual", cf: {} }));
  }
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof NetworkRefusedError) return new ServiceError("forbidden", error.message);
  if (error instanceof NetworkFailedError) return serviceUnavailable(error.message);
  return serviceUnavailable("The host cannot be reached", 1, error);
}
