import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type ClientHttp2Stream, constants } from "node:http2";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { HostedMachine, Machines } from "./machines.ts";
import { describeMetrics } from "./metrics.ts";
import { Refusal } from "./refusal.ts";

const MAX_REQUEST_BYTES = 65_536;

const CLOSE_TIMEOUT_MS = 2000;

/** Those of an agent. */
const STATUSES = [200, 404, 422, 500];

const MACHINE_PATH = /^\/machines\/(?<id>[\w-]{1,100})(?<rest>\/.*)?$/;

const positive = z.number().positive();

const hostPattern = z.object({ host: z.string(), subdomains: z.boolean(), port: z.int().optional() });

/** A new machine. Sizes are in bytes. The host's own limits bound them. */
const machineSchema = z.object({
  limits: z.object({
    fileBytes: positive,
    files: positive,
    processes: positive,
    tasks: positive,
    memoryBytes: positive,
    cpus: positive,
  }),
  network: z.object({
    access: z.union([z.enum(["none", "all"]), z.array(hostPattern)]),
    allowPrivateAddresses: z.boolean(),
  }),
  labels: z.record(z.string(), z.string()).default({}),
});

/**
 * Serves machines over HTTP, to bearers of the token:
 *
 * - `GET /health`, without the token, and `GET /metrics` for Prometheus.
 * - `GET /machines`; `GET`, `PUT` and `DELETE /machines/{id}`.
 * - Everything below `/machines/{id}/` goes to the machine's agent; see serveMachine.
 */
export class HostServer {
  readonly #machines: Machines;
  readonly #tokenHash: Buffer;
  readonly #server: Server;

  constructor(machines: Machines, token: string) {
    this.#machines = machines;
    this.#tokenHash = sha256(token);
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // A command may take long to write its first output.
    this.#server.requestTimeout = 0;
  }

  /** @returns the port. */
  async listen(port: number, address: string): Promise<number> {
    await once(this.#server.listen(port, address), "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets answers that are under way arrive, for a moment. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    await Promise.race([closed, setTimeout(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { pathname, search } = new URL(request.url ?? "", "http://host");
      const what = `${request.method} ${pathname}`;
      if (what === "GET /health") return sendJSON(response, 200, this.#health);
      if (!this.#isAuthorized(request))
        throw new Refusal(401, "unauthorized", "The token is missing or wrong");
      if (what === "GET /metrics") return void response.end(describeMetrics(this.#machines));
      if (what === "GET /machines")
        return sendJSON(response, 200, { machines: this.#machines.list().map(describeMachine) });
      const { id, rest = "" } = MACHINE_PATH.exec(pathname)?.groups ?? {};
      if (id === undefined) throw new Refusal(404, "not_found", "There is no such operation");
      if (rest !== "") return await forward(this.#machines.get(id), `${rest}${search}`, request, response);
      if (request.method === "PUT") {
        const machine = await this.#machines.create(id, await readBody(request));
        return sendJSON(response, 200, describeMachine(machine));
      }
      if (request.method === "GET") return sendJSON(response, 200, describeMachine(this.#machines.get(id)));
      if (request.method !== "DELETE") throw new Refusal(405, "method_not_allowed", "Use GET, PUT or DELETE");
      await this.#machines.end(id);
      response.writeHead(204).end();
    } catch (error) {
      refuse(response, error);
    }
  }

  get #health() {
    return { status: this.#machines.isDraining ? "draining" : "ok", machines: this.#machines.count };
  }

  #isAuthorized({ headers }: IncomingMessage): boolean {
    const given = /^bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
    return given !== undefined && timingSafeEqual(sha256(given), this.#tokenHash);
  }
}

/**
 * Programs of the sandbox may have taken the agent's place. So it gets no header, and of its answer only the body
 * and a few values are passed on: with a length of its choice, it could write the next answer of the connection.
 */
async function forward(
  { sandbox }: HostedMachine,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let stream: ClientHttp2Stream;
  try {
    stream = sandbox.agent.request({ ":method": request.method ?? "GET", ":path": path });
    stream.on("error", () => undefined);
    // `close` would not tell the agent of an upload that has no end.
    response.once("close", () => stream.destroy(new Error("The client has left")));
    const answered = Promise.race([once(stream, "response"), once(stream, "close")]);
    pipeline(request, stream).catch(() => undefined);
    const [headers] = await answered;
    if (headers === undefined) throw new Error("The agent closed the stream");
    const status = STATUSES.find((known) => known === headers[":status"]) ?? 502;
    const size = Number(headers["file-size"]);
    response.writeHead(status, Number.isSafeInteger(size) ? { "file-size": size } : {});
    // The reader is told that a process has started before the process writes something.
    response.flushHeaders();
  } catch (error) {
    const hasEnded = sandbox.agent.closed || sandbox.agent.destroyed;
    if (hasEnded) throw new Refusal(410, "machine_ended", await sandbox.ended);
    throw new Refusal(502, "agent_failed", String(error));
  }
  const closed = stream.closed ? undefined : once(stream, "close");
  await pipeline(stream, response, { end: false }).catch(() => response.destroy());
  await closed;
  // A stream whose agent has gone ends like one that is complete.
  if (stream.rstCode === constants.NGHTTP2_NO_ERROR) response.end();
  else response.destroy();
}

async function readBody(request: IncomingMessage): Promise<z.infer<typeof machineSchema>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_REQUEST_BYTES) throw new Refusal(413, "payload_too_large", "The request is too large");
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  const parsed = machineSchema.safeParse(parseJSON(text));
  if (!parsed.success) throw new Refusal(400, "bad_request", z.prettifyError(parsed.error));
  return parsed.data;
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, "bad_request", "The body is not JSON");
  }
}

function describeMachine({ id, labels, startedAt }: HostedMachine) {
  return { id, labels, started_at: new Date(startedAt).toISOString() };
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, code, message } =
    error instanceof Refusal ? error : new Refusal(500, "internal_error", String(error));
  sendJSON(response, status, { code, message });
}

function sendJSON(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
