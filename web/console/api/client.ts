import createClient from "openapi-fetch";
import type { components, operations, paths } from "./openapi.d.ts";

export type Schemas = components["schemas"];

/** The JSON that an operation takes. */
export type RequestBody<Id extends keyof operations> = operations[Id] extends {
  requestBody?: { content: { "application/json": infer Body } };
}
  ? Body
  : never;

/** An error response of the API, or no response at all. */
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

const SECRET = "berth-console-secret";

const PROJECT_HEADER = "x-kernel-project-id";

/** Shows that a request comes from the console and no other site, and with the secret from this port. */
const HEADERS: Record<string, string> = { "x-berth-console": "1", "x-berth-console-secret": readSecret() };

/** Headers of calls that concern all projects. */
export const OF_ALL_PROJECTS = { [PROJECT_HEADER]: null };

/** @param identity whose rights are shown: a key's id or `operator`. Others are refused from now on. */
export function actAs(identity: string): void {
  HEADERS["x-berth-console"] = identity;
}

/** @param id of the project that requests act in from now on; absent: the default one, or the key's. */
export function actIn(id: string | undefined): void {
  if (id === undefined) delete HEADERS[PROJECT_HEADER];
  else HEADERS[PROJECT_HEADER] = id;
}

/** Typed by /openapi.json. Pass its calls to {@link read}. */
export const api = createClient<paths>({ baseUrl: "/", headers: HEADERS });

let onSignedOut = () => {};

/** Registers what to do when the service no longer knows the caller. */
export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

let onProjectLost = () => {};

/** Registers what to do when the project is archived or deleted. */
export function whenProjectLost(listener: () => void): void {
  onProjectLost = listener;
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
  /** Where the next page begins, if pages have no numbers. */
  next?: number;
}

/** A page of a list. @throws APIError */
export async function readPage<T>(call: Promise<Answer<T[]>>): Promise<Page<T>> {
  const { data, error, response } = await answered(call);
  if (!response.ok || data === undefined) throw toError(response.status, error);
  const { headers } = response;
  const next = Number(headers.get("x-next-page-token")) || undefined;
  return { items: data, hasMore: headers.get("x-has-more") === "true", next };
}

async function answered<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new APIError(0, "The service is not responding. Check your connection and try again.");
  }
}

/** A request beyond the typed client, such as a download or stream. @throws APIError unless it succeeds. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const { response } = await answered(
    fetch(path, { ...init, headers: { ...HEADERS, ...init.headers } }).then((response) => ({ response })),
  );
  if (response.ok) return response;
  throw toError(response.status, await response.json().catch(() => undefined));
}

/** The same in all tabs. Other origins cannot read it. */
function readSecret(): string {
  const stored = localStorage.getItem(SECRET);
  if (stored !== null) return stored;
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const secret = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  localStorage.setItem(SECRET, secret);
  return secret;
}

function toError(status: number, body: unknown): APIError {
  if (status === 401) onSignedOut();
  if (!isErrorBody(body)) return new APIError(status, `The service responded with status ${status}.`);
  if (body.code === "project_not_found") onProjectLost();
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
