import { cut } from "../../lib/common/cut.ts";

const REDACTED = "[redacted]";

const MAX_URL_LENGTH = 2000;
const MAX_DATA_URL_LENGTH = 100;
const MAX_HEADERS = 100;
const MAX_HEADER_LENGTH = 4000;

const SECRET_HEADER =
  /^(authorization|proxy-authorization|cookie|set-cookie)$|token|secret|password|api-?key|csrf|session/i;

/** Names of parameters and fields whose values sign, authenticate or are typed in secret. */
const SECRET_NAME =
  /^x-(amz|goog|ms)-|token|secret|passw|pwd|signature|credential|api-?_?key|session|otp|jwt|auth|^(sig|key|code|state|nonce|ticket|cvc|cvv|pin|policy|key-pair-id)$/i;

const URL_IN_TEXT = /\b(?:https?|wss?|ftp):\/\/[^\s"'<>`]+/gi;

/** Field of a JSON text or of a form whose name says that it is secret. */
const JSON_FIELD = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)("(?:[^"\\]|\\.)*"?|[^,{}[\]\s"]+)/g;

/** Removes credentials and the values of parameters that look like secrets. */
export function redactURL(url: string): string {
  if (/^(data|blob):/i.test(url)) return cut(url, MAX_DATA_URL_LENGTH);
  const [, start = "", query = "", fragment = ""] =
    /^([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(url.slice(0, 4 * MAX_URL_LENGTH)) ?? [];
  const withoutUser = start.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, `$1${REDACTED}@`);
  const hasParameters = /^#[^?]*[?&]|^#[^/]*=/.test(fragment);
  const safeFragment = hasParameters ? redactParameters(fragment) : fragment;
  return cut(`${withoutUser}${redactParameters(query)}${safeFragment}`, MAX_URL_LENGTH);
}

/** Redacts the addresses within a text. */
export function redactText(text: string, maxLength: number): string {
  return cut(text.slice(0, 4 * maxLength).replace(URL_IN_TEXT, redactURL), maxLength);
}

export function redactHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [
        cut(name, 200),
        SECRET_HEADER.test(name) ? REDACTED : redactText(String(value), MAX_HEADER_LENGTH),
      ]),
  );
}

/** Redacts the fields of a form or a JSON text that look like secrets. */
export function redactBody(body: string, maxLength: number): string {
  const start = body.slice(0, 4 * maxLength);
  const isForm = /^[^\s{["<]+=/.test(start);
  const safe = isForm
    ? redactParameters(start)
    : start.replaceAll(JSON_FIELD, (field, name: string, colon: string) =>
        SECRET_NAME.test(name) ? `"${name}"${colon}"${REDACTED}"` : field,
      );
  return redactText(safe, maxLength);
}

function redactParameters(text: string): string {
  return text.replaceAll(/(?<![^?#&=])([^?#&=]+)=([^&]*)/g, (parameter, name: string) =>
    SECRET_NAME.test(decode(name)) ? `${name}=${REDACTED}` : parameter,
  );
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
