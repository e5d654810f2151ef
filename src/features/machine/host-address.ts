import { type HostAddress, HostError } from "session-host/client";
import type { Host } from "./choose-hosts.ts";

/** How the machine `id` is reached: at its host, or in a container of its own. */
export function addressOf(env: Env, { name, url, binding, token }: Host, id: string): HostAddress {
  if (url !== undefined) return { url, token };
  const containers: unknown = Reflect.get(env, binding ?? "");
  if (!isNamespace(containers))
    throw new HostError(`the binding ${binding} of ${name} does not exist`, {
      status: 0,
      code: "unreachable",
    });
  const container = containers.getByName(id);
  return { url: "http://container", token, fetch: (address, init) => container.fetch(address, init) };
}

function isNamespace(value: unknown): value is DurableObjectNamespace {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "getByName") === "function";
}
