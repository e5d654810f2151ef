import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.d.ts";

export type Schemas = components["schemas"];

/** An answer of the API that is an error, or none at all. */
export class APIError extends Error {
  override readonly name = "APIError";
  /** 0: the service did not answer. */
  readonly status: number;
  readonly code: string;
  /** Problems of fields, by the field's name. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** Shows that the request comes from the console and from no other site. */
const HEADERS = { "x-berth-console": "1" };

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
    throw new APIError(0, "unreachable", "The service does not answer. Check the connection and try again.");
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
  const { code, message, details } = readErrorBody(body);
  if (status === 401) onSignedOut();
  const fields = details.flatMap((detail) => {
    const [, field, problem] = /^([\w.[\]]+): (.*)$/s.exec(detail) ?? [];
    return field === undefined || problem === undefined ? [] : [[field, problem]];
  });
  return new APIError(status, code, message, Object.fromEntries(fields));
}

function readErrorBody(body: unknown): { code: string; message: string; details: string[] } {
  const text = (value: unknown, otherwise: string) => (typeof value === "string" ? value : otherwise);
  const record = isRecord(body) ? body : {};
  const details = Array.isArray(record.details) ? record.details : [];
  return {
    code: text(record.code, "unknown"),
    message: text(record.message, "The service answered with an error."),
    details: details.flatMap((detail) =>
      isRecord(detail) && typeof detail.message === "string" ? [detail.message] : [],
    ),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
