import { DurableObject } from "cloudflare:workers";
import { z } from "zod";
import { logError, logEvent } from "../../lib/common/log.ts";

/** The image's `session-host` listens here. */
const PORT = 8787;

/** Starts take up to 24 s (p95, measured by others). */
const START_TIMEOUT_MS = 60_000;
const START_RETRY_MS = 200;

/** Longer than a session may be unused. */
const INACTIVITY_MS = 3 * 24 * 3_600_000;

const CHECK_INTERVAL_MS = 10 * 60_000;

const labelsSchema = z.object({ labels: z.object({ session: z.string(), lease: z.string() }) });

interface Owner {
  token: string;
  session: string;
  /** The lease of a pooled session, or empty. */
  lease: string;
}

/**
 * A Cloudflare Container that runs the session host for one machine. It serves the host's HTTP interface; its
 * name is the machine's id. See https://developers.cloudflare.com/containers/api/durable-object-container/.
 */
export class MachineContainer extends DurableObject<Env> {
  override async fetch(request: Request): Promise<Response> {
    const { container } = this.ctx;
    if (container === undefined)
      return refuse(501, "no_container", "The class MachineContainer has no container in wrangler.toml");
    const isCreation = request.method === "PUT" && /^\/machines\/[^/]+$/.test(new URL(request.url).pathname);
    if (isCreation) {
      // The body is read twice.
      const { labels } = labelsSchema.parse(await request.clone().json());
      const started = await this.#start(container, labels);
      if (!started) return refuse(503, "container_not_started", "The container did not start in time");
    }
    const owner = this.ctx.storage.kv.get<Owner>("owner");
    if (owner === undefined || !container.running)
      return refuse(410, "machine_ended", "its container has stopped");
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${owner.token}`);
    const response = await container.getTcpPort(PORT).fetch(new Request(request, { headers }));
    const isEnd = request.method === "DELETE" && response.status === 204;
    if (isEnd) await this.#end();
    return response;
  }

  /** The session may have ended without ending this. */
  override async alarm(): Promise<void> {
    const owner = this.ctx.storage.kv.get<Owner>("owner");
    if (owner === undefined) return;
    await this.ctx.storage.setAlarm(Date.now() + CHECK_INTERVAL_MS);
    const lives = await this.env.BROWSER_SESSION.getByName(owner.session).hasMachine(owner.lease);
    if (!lives || !this.ctx.container?.running) await this.#end();
  }

  async #start(container: Container, { session, lease }: Omit<Owner, "token">): Promise<boolean> {
    if (container.running) return true;
    const owner = { token: crypto.randomUUID() + crypto.randomUUID(), session, lease };
    this.ctx.storage.kv.put<Owner>("owner", owner);
    await this.ctx.storage.setAlarm(Date.now() + CHECK_INTERVAL_MS);
    container.start({ env: { SESSION_HOST_TOKEN: owner.token }, enableInternet: true });
    this.ctx.waitUntil(
      container
        .monitor()
        .catch((error: unknown) => logError("container_failed", error, { session_id: session })),
    );
    await container.setInactivityTimeout(INACTIVITY_MS);
    const startedAt = Date.now();
    while (Date.now() - startedAt < START_TIMEOUT_MS) {
      if (await isReady(container)) {
        logEvent("container_started", { session_id: session, duration_ms: Date.now() - startedAt });
        return true;
      }
      await new Promise((resolve) => setTimeout(resolve, START_RETRY_MS));
    }
    await this.#end();
    return false;
  }

  async #end(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    await this.ctx.container?.destroy();
  }
}

async function isReady(container: Container): Promise<boolean> {
  try {
    return (await container.getTcpPort(PORT).fetch("http://container/health")).ok;
  } catch {
    // It does not listen yet.
    return false;
  }
}

function refuse(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status });
}
