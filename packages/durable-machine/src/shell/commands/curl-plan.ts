import { type RequestBody, readUpload } from "./curl-body.ts";
import { basicAuthorization, type HeaderField, type RequestPlan } from "./curl-request.ts";
import type { CurlRun } from "./curl-run.ts";
import { allowedSchemes, credentialsOf, readUrl } from "./curl-url.ts";
import { unlessRefused } from "./error-text.ts";
import type { ParsedOptions } from "./options.ts";

/** The version whose behaviour this has, as sites are told. */
export const CURL_VERSION = "7.88.1";

/** Headers that the way out does not let anybody choose, and whose loss is worth a word. */
const UNCHANGEABLE = ["host", "upgrade"];

/**
 * Works out what to ask for.
 *
 * @param upload the file of `-T`.
 * @throws CurlFailure
 */
export async function planTransfer(
  run: CurlRun,
  address: string,
  upload: string | undefined,
): Promise<RequestPlan> {
  const { options } = run;
  const schemes = allowedSchemes(options.values("proto"));
  const url = readUrl(address, { globs: !options.has("g"), schemes });
  const credentials = options.value("u") ?? credentialsOf(url);
  url.username = "";
  url.password = "";
  if (run.query !== undefined) url.search += `${url.search === "" ? "?" : "&"}${run.query}`;
  for (const { name, value } of run.headers) {
    const isLost = value !== undefined && UNCHANGEABLE.includes(name.toLowerCase());
    if (isLost) run.warn(`The ${name} header cannot be chosen here`);
  }
  return {
    url,
    schemes,
    customMethod: options.value("X"),
    isHead: options.has("I"),
    body: upload === undefined ? run.body : await planUpload(run, url, upload),
    userAgent: options.value("A") ?? `curl/${CURL_VERSION}`,
    fields: fieldsOf(run),
    custom: run.headers,
    authorization: authorizationOf(options, credentials),
    cookies: options.values("b").filter((value) => value.includes("=")),
    trustsEveryHost: options.has("location-trusted"),
    keepsPost: new Set([301, 302, 303].filter((status) => options.has(`post${status}`))),
  };
}

/** Of a URL that names a directory, the upload becomes a file in it. */
async function planUpload(run: CurlRun, url: URL, upload: string): Promise<RequestBody> {
  const isInput = upload === "-" || upload === ".";
  const body = await readUpload(run.invocation, isInput ? "-" : upload);
  if (url.pathname.endsWith("/") && !isInput) {
    url.pathname += encodeURIComponent(upload.slice(upload.lastIndexOf("/") + 1));
  }
  return body;
}

function authorizationOf(options: ParsedOptions, credentials: string | undefined): string | undefined {
  const token = options.value("oauth2-bearer");
  if (token !== undefined) return `Bearer ${token}`;
  return credentials === undefined ? undefined : basicAuthorization(credentials);
}

function fieldsOf(run: CurlRun): HeaderField[] {
  const { options } = run;
  const range = options.value("r");
  const referer = options.value("e");
  const time = options.value("z");
  return [
    ...(range === undefined ? [] : [{ name: "Range", value: `bytes=${range}` }]),
    // Those that the platform undoes.
    ...(options.has("compressed") ? [{ name: "Accept-Encoding", value: "gzip, br" }] : []),
    ...(referer === undefined ? [] : [{ name: "Referer", value: referer }]),
    ...(time === undefined ? [] : timeCondition(run, time)),
  ];
}

/** Reads the value of `-z`: a date, or a file whose time counts; `-` in front asks for what is older. */
function timeCondition(run: CurlRun, condition: string): HeaderField[] {
  const isOlder = condition.startsWith("-");
  const text = condition.replace(/^[-+=]/, "");
  const parsed = Date.parse(text);
  const time = Number.isNaN(parsed) ? modificationTime(run, text) : parsed;
  if (time === undefined) {
    run.warn("Illegal date format for -z, --time-cond (and not a file name). Disabling time condition.");
    return [];
  }
  return [
    { name: isOlder ? "If-Unmodified-Since" : "If-Modified-Since", value: new Date(time).toUTCString() },
  ];
}

function modificationTime({ invocation }: CurlRun, operand: string): number | undefined {
  const { files, credentials } = invocation;
  return unlessRefused(
    ["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP"],
    () => files.status(invocation.path(operand), credentials).modifiedAt,
  );
}
