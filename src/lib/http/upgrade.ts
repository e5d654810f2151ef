import type { HonoRequest } from "hono";
import { ServiceError } from "../common/errors.ts";

export function isUpgrade(request: HonoRequest): boolean {
  return request.header("upgrade")?.toLowerCase() === "websocket";
}

/** @throws ServiceError 426 unless the request asks for a DevTools socket. */
export function requireUpgrade(request: HonoRequest): void {
  if (isUpgrade(request)) return;
  throw new ServiceError(
    "upgrade_required",
    "This address is a WebSocket: connect to it with a DevTools client",
  );
}
