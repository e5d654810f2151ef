import { WorkerEntrypoint } from "cloudflare:workers";
import type { NetworkAccess } from "network-rules";
import { readSettings } from "../../../lib/common/settings.ts";
import { newGuardedFetch } from "../../../platform/network/guarded-fetch.ts";
import { NetworkFailedError, NetworkRefusedError } from "../../../platform/network/network-error.ts";
import { outgoingFetch } from "../../../platform/network/outgoing-fetch.ts";
import { resolveName } from "../../../platform/network/resolve.ts";

const MAX_REDIRECTS = 5;

/** Responses are held in memory; an isolate has 128 MB. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Where the bundler's requests go: to the operator's registry, or to any public HTTPS address without one,
 * because npm's registry may keep packages anywhere. No uploaded code runs in the Worker that uses it.
 */
export class PackageGateway extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const { apps, allowPrivateAddresses } = readSettings(this.env);
    const registry = apps.packageRegistry === "" ? undefined : new URL(apps.packageRegistry);
    if (request.method !== "GET" || !isRegistryURL(new URL(request.url), registry)) {
      return refuse(403, "only GET requests to the registry are allowed (setting APP_PACKAGE_REGISTRY)");
    }
    const guardedFetch = newGuardedFetch({
      fetch: outgoingFetch(this.env, { allowPrivateAddresses }),
      allowPrivateAddresses,
      allow: networkAccess(registry),
      settingName: "APP_PACKAGE_REGISTRY",
      resolve: resolveName,
      maxRedirects: MAX_REDIRECTS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      timeoutMs: REQUEST_TIMEOUT_MS,
    });
    try {
      const { status, body } = await guardedFetch(withCredentials(registry, request.url), {
        headers: { accept: request.headers.get("accept") ?? "*/*" },
        signal: request.signal,
      });
      return new Response(body, { status });
    } catch (error) {
      if (error instanceof NetworkRefusedError) return refuse(403, error.message);
      if (error instanceof NetworkFailedError) return refuse(502, error.message);
      throw error;
    }
  }
}

/** Removes the credentials from the registry's URL, because the bundler may show it. */
export function publicRegistry(registry: string): string {
  if (registry === "") return "";
  const url = new URL(registry);
  url.username = "";
  url.password = "";
  return url.href.replace(/(?<!\/)\/+$/, "");
}

function isRegistryURL(url: URL, registry: URL | undefined): boolean {
  return registry === undefined ? url.protocol === "https:" : url.origin === registry.origin;
}

function networkAccess(registry: URL | undefined): NetworkAccess {
  if (registry === undefined) return "all";
  return [
    { host: registry.hostname, subdomains: false, port: registry.port ? Number(registry.port) : undefined },
  ];
}

function withCredentials(registry: URL | undefined, address: string): string {
  const url = new URL(address);
  url.username = registry?.username ?? "";
  url.password = registry?.password ?? "";
  return url.href;
}

/** The installer reports only the status of a failed request. */
function refuse(status: number, message: string): Response {
  return new Response(null, { status, statusText: message.replaceAll(/[^\x20-\x7e]/g, "?") });
}
