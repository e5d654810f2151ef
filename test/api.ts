import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect } from "vitest";
import type { z } from "zod";
import { createdOrganizationSchema } from "../src/features/organizations/schema.ts";
import { type SessionBody, sessionSchema } from "../src/features/sessions/session-schema.ts";
import worker from "../src/index.ts";
import { type ErrorBody, errorBodySchema } from "../src/lib/http/wire-error.ts";

export const ORIGIN = "https://berth.test";

/** Calls the handler directly: with `exports.default`, each request of a file takes longer than the last. */
export async function fetchFromWorker(url: string, init: RequestInit): Promise<Response> {
  const context = createExecutionContext();
  const response = await worker.fetch(new Request(url, init), env, context);
  await waitOnExecutionContext(context);
  return response;
}

export class TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;

  constructor(status: number, headers: Headers, bytes: Uint8Array) {
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
  }

  get text(): string {
    return new TextDecoder().decode(this.bytes);
  }

  get json(): unknown {
    return JSON.parse(this.text);
  }

  read<T extends z.ZodType>(schema: T): z.infer<T> {
    expect(this.status, this.text).toBe(200);
    return schema.parse(this.json);
  }

  get error(): ErrorBody {
    return errorBodySchema.parse(this.json);
  }

  /** The invalid fields that a 400 lists, in its order. */
  get invalidFields(): string[] {
    expect(this.status, this.text).toBe(400);
    expect(this.error.code).toBe("bad_request");
    return (this.error.details ?? []).map(({ message }) => message.split(":", 1)[0] ?? "");
  }
}

export interface CallOptions {
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent as is, without a content type. */
  text?: string;
  signal?: AbortSignal;
}

export class Client {
  readonly token: string | undefined;
  /** Empty if the token is not an organization's key. */
  readonly organizationId: string;
  readonly keyId: string;
  readonly #headers: Record<string, string>;

  constructor(token?: string, organizationId = "", keyId = "", headers: Record<string, string> = {}) {
    this.token = token;
    this.organizationId = organizationId;
    this.keyId = keyId;
    this.#headers = headers;
  }

  /** The same key, whose calls name a project. */
  inProject(id: string): Client {
    return new Client(this.token, this.organizationId, this.keyId, { "x-kernel-project-id": id });
  }

  async call(method: string, path: string, options?: CallOptions): Promise<TestResponse> {
    const response = await this.open(method, path, options);
    return new TestResponse(response.status, response.headers, await response.bytes());
  }

  /** The response with its unread body, which may be endless. */
  open(
    method: string,
    path: string,
    { headers = {}, body, text, signal }: CallOptions = {},
  ): Promise<Response> {
    return fetchFromWorker(`${ORIGIN}${path}`, {
      method,
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...this.#headers,
        ...headers,
      },
      body: body === undefined ? text : JSON.stringify(body),
      signal,
    });
  }

  get(path: string, options?: CallOptions): Promise<TestResponse> {
    return this.call("GET", path, options);
  }

  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse> {
    return this.call("POST", path, { body, headers });
  }

  patch(path: string, body?: unknown): Promise<TestResponse> {
    return this.call("PATCH", path, { body });
  }

  delete(path: string, body?: unknown): Promise<TestResponse> {
    return this.call("DELETE", path, { body });
  }

  async createSession(body?: object): Promise<SessionBody> {
    return (await this.post("/browsers", body)).read(sessionSchema);
  }

  async listSessions(query = ""): Promise<{ ids: string[]; headers: Headers }> {
    const answer = await this.get(`/browsers${query}`);
    return {
      ids: answer.read(sessionSchema.array()).map((session) => session.session_id),
      headers: answer.headers,
    };
  }
}

/** Without white space, which a bearer token must not contain. */
env.ADMIN_TOKEN = "operator-token-of-the-tests-32-bytes";

export const operator = new Client(env.ADMIN_TOKEN);

let organizations = 0;

export async function newClient(
  limits: { max_concurrent_sessions?: number; max_pooled_sessions?: number } = {},
): Promise<Client> {
  organizations += 1;
  const answer = await operator.post("/admin/organizations", {
    name: `organization ${organizations}`,
    ...limits,
  });
  const { id, api_key } = answer.read(createdOrganizationSchema);
  return new Client(api_key.key, id, api_key.id);
}

/** A client of another organization in each test. */
export function useNewClient(): Client {
  const client = new Client();
  beforeEach(async () => {
    Object.assign(client, await newClient());
  });
  return client;
}

/** Requests a WebSocket and returns the response, which may be a refusal. */
export function upgrade(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetchFromWorker(url.replace(/^ws/, "http"), { headers: { upgrade: "websocket", ...headers } });
}

export async function openSocket(url: string, headers?: Record<string, string>): Promise<WebSocket> {
  const response = await upgrade(url, headers);
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no WebSocket: ${response.status} ${await response.text()}`);
  socket.accept();
  return socket;
}
