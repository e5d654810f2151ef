import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.d.ts";

export type Schemas = components["schemas"];

/** An answer of the API that is an error, or none at all. */
export class APIError extends Error {
  override readonly name = "APIError";
  /** 0: the service did not answer. */
  readonly status: number;
  /** Problems of fields, by the field's name. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** Shows that the request comes from the console and from no other site. */
const HEADERS = { "x-berth-console": "1" };

/** @param identity whose rights the console shows: the id of a key, or `operator`. Others are refused from now on. */
export function actAs(identity: string): void {
  HEADERS["x-berth-console"] = identity;
}

/** Typed by /openapi.json. Pass its calls to {@link read}. */
export const api = createClient<paths>({ baseUrl: "/", headers: HEADERS });

let onSignedOut = () => {};

/** Registers what to do when the service no longer knows the caller. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * The body of an answer.
 *
 * @throws APIError for every failure.
 * @example
 * const session = await read(api.GET("/browsers/{id_or_name}", { params: { path: { id_or_name } } }));
 */
export async function read<T>(call: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await answered(call);
  if (!response.ok) throw toError(response.status, error);
  // A 204 has no body, and its callers use none.
  return data as NonNullable<T>;
}

export interface Page<T> {
  items: T[];
  hasMore: boolean;
}

/** A page of a list. @throws APIError */
export async function readPage<T>(call: Promise<Answer<T[]>>): Promise<Page<T>> {
  const { data, error, response } = await answered(call);
  if (!response.ok || data === undefined) throw toError(response.status, error);
  return { items: data, hasMore: response.headers.get("x-has-more") === "true" };
}

async function answered<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new APIError(0, "The service does not answer. Check the connection and try again.");
  }
}

/**
 * A request that the typed client cannot make, such as a download or a stream.
 *
 * @throws APIError unless the answer is a success.
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const { response } = await answered(
    fetch(path, { ...init, headers: { ...HEADERS, ...init.headers } }).then((response) => ({ response })),
  );
  if (response.ok) return response;
  throw toError(response.status, await response.json().catch(() => undefined));
}

function toError(status: number, body: unknown): APIError {
  if (status === 401) onSignedOut();
  if (!isErrorBody(body)) return new APIError(status, `The service answered with the status ${status}.`);
  const fields = (body.details ?? []).flatMap((detail) => {
    const [, field, problem] = /^([\w.[\]]+): (.*)$/s.exec(detail.message) ?? [];
    return field === undefined || problem === undefined ? [] : [[field, problem]];
  });
  return new APIError(status, body.message, Object.fromEntries(fields));
}

/** Not so if something before the service answered. */
function isErrorBody(body: unknown): body is Schemas["Error"] {
  return typeof body === "object" && body !== null && "message" in body;
}
