import { z } from "zod";
import { byteLimit } from "../../lib/http/byte-limit.ts";

/** Answers are held in memory. */
const MAX_BYTES = 8 * 1024 * 1024;

interface APIRequest {
  query?: Record<string, unknown>;
  json?: unknown;
  body?: BodyInit;
  /** The response is a stream, which the tool does not keep. */
  isStream?: true;
}

interface APICaller {
  /** The service itself, so that its own rules and limits apply. */
  service: Fetcher;
  origin: string;
  authorization: string;
  /** Id of the project that the calls act in. */
  project: string;
}

/** Calls the service's API for one caller. */
export class APIClient {
  readonly #caller: APICaller;
  /** Aborts with the tool's call. */
  readonly signal: AbortSignal;

  constructor(caller: APICaller, signal = new AbortController().signal) {
    this.#caller = caller;
    this.signal = signal;
  }

  get uncancelled(): APIClient {
    return new APIClient(this.#caller);
  }

  /** @param call such as `GET /browsers`. @throws Error with the API's message, with the status as cause. */
  async fetch(call: string, { query = {}, json, body, isStream }: APIRequest = {}): Promise<Response> {
    const { service, origin, authorization, project } = this.#caller;
    const [method = "", path = ""] = call.split(" ");
    const url = new URL(path, origin);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers = {
      authorization,
      "x-kernel-project-id": project,
      ...(json !== undefined && { "content-type": "application/json" }),
    };
    const content = json === undefined ? body : JSON.stringify(json);
    const response = await service.fetch(url, { method, headers, body: content, signal: this.signal });
    if (response.ok)
      return isStream ? response : new Response(response.body?.pipeThrough(byteLimit(MAX_BYTES)), response);
    const error = z.object({ message: z.string() }).safeParse(await response.json().catch(() => undefined));
    throw new Error(error.data?.message ?? `The API answered ${response.status}`, { cause: response.status });
  }

  async json<T extends z.ZodType>(call: string, schema: T, request?: APIRequest): Promise<z.infer<T>> {
    const response = await this.fetch(call, request);
    return schema.parse(await response.json());
  }
}
