import type { HonoRequest } from "hono";
import { bearerToken } from "../../features/organizations/index.ts";
import { badRequest, unauthorized } from "../../lib/common/errors.ts";

/** The names under which the services' clients send their key. */
export const KEY_PARAMETERS = ["token", "apiKey", "api_key"];

/** @throws ServiceError 401 without an API key, 400 with several. */
export function readConnectKey(request: HonoRequest): string {
  const { searchParams } = new URL(request.url);
  const given = [
    bearerToken(request.header("authorization")),
    ...KEY_PARAMETERS.flatMap((name) => searchParams.getAll(name)),
  ];
  const [key, ...others] = new Set(given.filter((text) => text !== undefined && text !== ""));
  if (key === undefined) {
    throw unauthorized("Send an API key as `token` in the query or as `Authorization: Bearer <key>`");
  }
  if (others.length > 0) throw badRequest({ field: "token", message: "several different keys are given" });
  return key;
}
