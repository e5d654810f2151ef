import { hostOf } from "../../../../../src/network/network-access.ts";
import type { RequestBody } from "./curl-body.ts";
import { type AllowedSchemes, readLocation } from "./curl-url.ts";

export interface HeaderField {
  name: string;
  value: string;
}

/** A header of `-H`; without a value, one that curl is not to send by itself. */
export interface CustomHeader {
  name: string;
  value: string | undefined;
}

/** What all requests for one URL of the command line have in common. */
export interface RequestPlan {
  url: URL;
  schemes: AllowedSchemes;
  /** The word of `-X`, in place of any other method. */
  customMethod?: string;
  isHead: boolean;
  body?: RequestBody;
  userAgent: string;
  /** What the options ask for beside what curl always sends. */
  fields: readonly HeaderField[];
  custom: readonly CustomHeader[];
  /** For the host of the URL, and for others only with `trustsEveryHost`. */
  authorization?: string;
  /** The cookies of `-b name=value`. */
  cookies: readonly string[];
  trustsEveryHost: boolean;
  /** The redirects after which a POST stays one. */
  keepsPost: ReadonlySet<number>;
}

/** One request on the way of redirects. */
export interface Hop {
  url: URL;
  /** What curl would send without `-X`. */
  method: "GET" | "HEAD" | "POST" | "PUT";
}

export function firstHop({ url, isHead, body }: RequestPlan): Hop {
  return { url, method: isHead ? "HEAD" : (body?.method ?? "GET") };
}

export function methodOf(plan: RequestPlan, hop: Hop): string {
  return plan.customMethod ?? hop.method;
}

/** What a request carries; undefined: nothing. */
export function bodyOf(plan: RequestPlan, hop: Hop): RequestBody | undefined {
  return plan.body?.method === hop.method ? plan.body : undefined;
}

/** Where a response sends whoever follows; undefined: nowhere. */
export function locationOf(status: number, headers: Headers): string | undefined {
  return status >= 300 && status < 400 ? (headers.get("location") ?? undefined) : undefined;
}

/**
 * The request that follows a redirect.
 *
 * @throws CurlFailure where it leads to no URL that may be asked for.
 */
export function nextHop(plan: RequestPlan, hop: Hop, status: number, location: string): Hop {
  const url = readLocation(location, hop.url, plan.schemes);
  return { url, method: methodAfter(plan, hop.method, status) };
}

function methodAfter(plan: RequestPlan, method: Hop["method"], status: number): Hop["method"] {
  if (method === "POST" && plan.keepsPost.has(status)) return method;
  if (status === 303) return method === "HEAD" ? "HEAD" : "GET";
  return method === "POST" && (status === 301 || status === 302) ? "GET" : method;
}

const SECRETS = ["authorization", "cookie"];

/**
 * The headers of a request in the order in which curl sends them. Another host than the first learns no secrets.
 *
 * @param jarCookies what the cookie jar holds for the URL.
 */
export function requestFields(plan: RequestPlan, hop: Hop, jarCookies: readonly string[]): HeaderField[] {
  const isTrusted = plan.trustsEveryHost || hop.url.origin === plan.url.origin;
  const body = bodyOf(plan, hop);
  const cookies = [...jarCookies, ...(isTrusted ? plan.cookies : [])];
  const port = hop.url.port === "" ? "" : `:${hop.url.port}`;
  const before = [
    { name: "Host", value: `${hostOf(hop.url)}${port}` },
    { name: "Authorization", value: isTrusted ? plan.authorization : undefined },
    { name: "User-Agent", value: plan.userAgent || undefined },
    { name: "Accept", value: body?.accept ?? "*/*" },
    ...plan.fields,
    { name: "Cookie", value: cookies.length > 0 ? cookies.join("; ") : undefined },
  ];
  const after = [
    { name: "Content-Length", value: body && String(body.bytes.length) },
    { name: "Content-Type", value: body?.contentType },
  ];
  const custom = plan.custom.filter(({ name }) => isTrusted || !SECRETS.includes(name.toLowerCase()));
  const replaced = new Set(custom.map(({ name }) => name.toLowerCase()));
  const isKept = ({ name }: { name: string }) => !replaced.has(name.toLowerCase());
  return [...before.filter(isKept), ...custom, ...after.filter(isKept)].flatMap(({ name, value }) =>
    value === undefined ? [] : [{ name, value }],
  );
}

/** Reads a header of `-H`: `name: value`, `name:` which removes it, or `name;` which is empty. */
export function readCustomHeader(text: string): CustomHeader | undefined {
  const [, name = "", separator, rest = ""] = /^([^:;]+)([:;])(.*)$/s.exec(text) ?? [];
  if (separator === undefined) return undefined;
  const value = rest.trim();
  if (separator === ";") return value === "" ? { name: name.trim(), value: "" } : undefined;
  return { name: name.trim(), value: value === "" ? undefined : value };
}

/** Credentials for the Authorization header. */
export function basicAuthorization(userAndPassword: string): string {
  const credentials = userAndPassword.includes(":") ? userAndPassword : `${userAndPassword}:`;
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}
