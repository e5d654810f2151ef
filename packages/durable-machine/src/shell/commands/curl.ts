import type { MachineResponse } from "../../network.ts";
import { writtenBytes } from "../byte-strings.ts";
import { argumentBytes } from "./byte-lines.ts";
import { type RequestBody, readBody, readData, readFile } from "./curl-body.ts";
import { CookieJar } from "./curl-cookies.ts";
import { statusOf } from "./destinations.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { parseUrl, requestHeaders, save, send, TransferError } from "./transfer.ts";

const OPTIONS = [
  "A,user-agent= D,dump-header= F,form= G,get H,header= I,head J,remote-header-name L,location O,remote-name",
  "S,show-error T,upload-file= V,version X,request= b,cookie= c,cookie-jar= d,data= e,referer= f,fail i,include",
  "m,max-time= o,output= r,range= s,silent u,user= v,verbose w,write-out= ,compressed ,create-dirs ,data-binary=",
  ",data-raw= ,data-urlencode= ,fail-with-body ,json= ,max-redirs= ,output-dir= ,proto= ,retry=",
  ",retry-all-errors ,retry-connrefused ,retry-delay= ,url=",
  // These have no effect.
  "#,progress-bar 0,http1.0 1,tlsv1 4,ipv4 6,ipv6 N,no-buffer g,globoff k,insecure q,disable ,basic",
  ",connect-timeout= ,http1.1 ,http2 ,http3 ,keepalive-time= ,limit-rate= ,no-keepalive ,no-progress-meter",
  ",noproxy= ,retry-max-time= ,ssl-reqd ,styled-output ,tcp-nodelay ,tls-max= ,tlsv1.0 ,tlsv1.1 ,tlsv1.2 ,tlsv1.3",
].join(" ");

const VERSION = "7.88.1";
const MAX_REDIRECTS = 50;
const TRANSIENT_STATUSES = [408, 429, 500, 502, 503, 504];
const MAX_RETRY_DELAY_SECONDS = 600;
const MAX_SLEEP_MS = 200;

interface Run {
  invocation: Invocation;
  options: ParsedOptions;
  body: RequestBody | undefined;
  cookies: CookieJar;
}

interface Transfer extends Run {
  /** As given, with credentials. */
  readonly first: URL;
  /** The URL of the last request, without credentials. */
  url: URL;
  /** The method, unless `-X` replaces it. */
  method: string;
  redirects: number;
  /** The heads of all responses. */
  heads: string;
  response?: MachineResponse;
  failure?: TransferError;
}

async function newRun(invocation: Invocation, options: ParsedOptions): Promise<Run> {
  const body = options.has("G") ? undefined : await readBody(invocation, options);
  const cookies = new CookieJar();
  for (const file of options.values("b").filter((value) => !value.includes("="))) {
    if (statusOf(invocation, file)) cookies.load(await readFile(invocation, file));
  }
  return { invocation, options, body, cookies };
}

async function newTransfer(run: Run, address: string, index: number): Promise<Transfer> {
  const { invocation, options } = run;
  const first = parseUrl(address, options.value("proto"));
  const query = options.has("G") ? await readData(invocation, options) : undefined;
  if (query !== undefined) first.search += `${first.search === "" ? "?" : "&"}${query}`;
  const upload = options.values("T")[index];
  if (first.pathname.endsWith("/")) first.pathname += encodeURIComponent(upload?.split("/").at(-1) ?? "");
  const body = upload === undefined ? run.body : { content: await readFile(invocation, upload) };
  const method = options.has("I") ? "HEAD" : upload !== undefined ? "PUT" : body ? "POST" : "GET";
  const url = new URL(first);
  url.username = "";
  url.password = "";
  return { ...run, first, url, method, body, redirects: 0, heads: "" };
}

/** The headers of a request. Origins other than the first URL's get no secrets. */
function headersOf({ options, cookies, first, url, body }: Transfer): [string, string][] {
  const isTrusted = url.origin === first.origin;
  const given = isTrusted ? options.values("b").filter((value) => value.includes("=")) : [];
  const range = options.value("r");
  const standard: [string, string | undefined][] = [
    ["Authorization", isTrusted ? authorizationOf(options.value("u"), first) : undefined],
    ["User-Agent", (options.value("A") ?? `curl/${VERSION}`) || undefined],
    ["Accept", options.has("json") ? "application/json" : "*/*"],
    ["Range", range && `bytes=${range}`],
    // The platform decompresses these.
    ["Accept-Encoding", options.has("compressed") ? "gzip, br" : undefined],
    ["Referer", options.value("e")],
    ["Cookie", [...cookies.cookiesFor(url), ...given].join("; ") || undefined],
    ["Content-Type", body?.type],
  ];
  const isSecret = (header: string) => /^\s*(authorization|cookie)\s*[:;]/i.test(header);
  const custom = options.values("H").filter((header) => isTrusted || !isSecret(header));
  return requestHeaders(standard, custom);
}

function authorizationOf(user: string | undefined, { username, password }: URL): string | undefined {
  const ofUrl = `${username}:${password}`.replace(/%([\da-f]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const credentials = user === undefined ? ofUrl : argumentBytes(user.includes(":") ? user : `${user}:`);
  return credentials === ":" ? undefined : `Basic ${btoa(credentials)}`;
}

function headOf(start: string, headers: Iterable<[string, string]>): string {
  return `${start}\r\n${Array.from(headers, ([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** Where a redirect leads; null if the response is not a redirect. */
function locationOf({ status, headers }: MachineResponse): string | null {
  return status >= 300 && status < 400 ? headers.get("location") : null;
}

async function exchange(transfer: Transfer, timeoutMs: number): Promise<MachineResponse> {
  const { invocation, options, url, body } = transfer;
  const method = options.value("X") ?? transfer.method;
  const headers = headersOf(transfer);
  const show = (mark: string, head: string) => {
    if (options.has("v")) invocation.say(head.replaceAll(/^.*\r\n/gm, `${mark} $&`));
  };
  show(">", headOf(`${method} ${url.pathname}${url.search} HTTP/1.1`, [["Host", url.host], ...headers]));
  const content = body && writtenBytes(body.content, "binary");
  const request = { method, headers, body: content, followRedirects: false, timeoutMs };
  const response = await send(invocation, url, request);
  const head = headOf(`HTTP/1.1 ${response.status} ${response.statusText}`, response.headers);
  show("<", head);
  transfer.heads += head;
  transfer.response = response;
  if (options.has("b", "c")) transfer.cookies.store(response.headers.getSetCookie(), url);
  return response;
}

async function follow(transfer: Transfer): Promise<void> {
  const { invocation, options } = transfer;
  const deadline = performance.now() + (Number(options.value("m")) || Number.POSITIVE_INFINITY) * 1000;
  const given = Number(options.value("max-redirs") ?? -1);
  const maxRedirects = given >= 0 && given < MAX_REDIRECTS ? given : MAX_REDIRECTS;
  for (;;) {
    await invocation.step();
    const response = await exchange(transfer, Math.max(1, deadline - performance.now()));
    const { status } = response;
    const location = locationOf(response);
    if (location === null || !options.has("L")) {
      if (status < 400 || !options.has("f", "fail-with-body")) return;
      throw new TransferError(22, `The requested URL returned error: ${status}`);
    }
    if (transfer.redirects === maxRedirects) {
      throw new TransferError(47, `Maximum (${maxRedirects}) redirects followed`);
    }
    transfer.redirects++;
    transfer.url = parseUrl(location, options.value("proto"), transfer.url);
    const isGet = status === 303 ? transfer.method !== "HEAD" : status < 303 && transfer.method === "POST";
    if (isGet) Object.assign(transfer, { method: "GET", body: undefined });
  }
}

/** Retries a URL as often as `--retry` allows. @returns the last attempt. */
async function attempt(start: Transfer): Promise<Transfer> {
  const { invocation, options } = start;
  for (let retries = Number(options.value("retry")) || 0, backoff = 1; ; retries--, backoff *= 2) {
    const transfer = { ...start };
    await follow(transfer).catch((error: unknown) => {
      if (!(error instanceof TransferError)) throw error;
      transfer.failure = error;
    });
    const { response, failure } = transfer;
    const isTransient = failure?.exitCode === 28 || TRANSIENT_STATUSES.includes(response?.status ?? 0);
    const isAnyRetried = options.has("retry-all-errors", "retry-connrefused");
    if (retries <= 0 || !(isTransient || (failure && isAnyRetried))) return transfer;
    const wanted = Number(options.value("retry-delay") ?? response?.headers.get("retry-after")) || backoff;
    const delay = Math.min(wanted, MAX_RETRY_DELAY_SECONDS);
    const warning = `Problem: ${failure?.message ?? "HTTP error"}. Will retry in ${delay} seconds.`;
    if (!options.has("s")) invocation.say(`Warning: ${warning} ${retries} retries left.\n`);
    const end = performance.now() + delay * 1000;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_SLEEP_MS, end - performance.now())));
      await invocation.step();
    }
  }
}

function outputFile({ options, first, response }: Transfer, index: number): string {
  const outputs = options.given.filter(({ key }) => key === "o" || key === "O");
  const { key, value = "" } = outputs[index] ?? { key: "o", value: "-" };
  if (key === "o" && value === "-") return value;
  const disposition = options.has("J") ? response?.headers.get("content-disposition") : undefined;
  const [, given] = /;\s*filename="?([^";]+)/i.exec(disposition ?? "") ?? [];
  const name = key === "o" ? value : (given ?? first.pathname).split(/[/\\]/).at(-1);
  if (!name) throw new TransferError(23, "Failed writing received data to disk/application");
  const directory = options.value("output-dir");
  return directory === undefined ? name : `${directory}/${name}`;
}

async function writeResponse(transfer: Transfer, index: number): Promise<void> {
  const { invocation, options, response, failure } = transfer;
  const head = new TextEncoder().encode(transfer.heads);
  const dump = options.value("D");
  if (dump) await save(invocation, dump, head);
  const isKept = !failure || (failure.exitCode === 22 && options.last("f", "fail-with-body") !== "f");
  const offset = options.has("i", "I") ? head.length : 0;
  if (!response || (!isKept && offset === 0)) return;
  const file = outputFile(transfer, index);
  await save(invocation, file, head.subarray(0, offset), { makesParents: options.has("create-dirs") });
  if (isKept) await save(invocation, file, response.body, { offset });
}

/** Writes the text of `-w`, piece by piece because a short template can name a long URL many times. */
async function report(transfer: Transfer, startedAt: number): Promise<void> {
  const { invocation, options, response, failure, url } = transfer;
  const location = response && locationOf(response);
  const status = String(response?.status ?? 0).padStart(3, "0");
  const values = new Map(
    Object.entries({
      "\\n": "\n",
      "\\r": "\r",
      "\\t": "\t",
      "%%": "%",
      "%{content_type}": response?.headers.get("content-type") ?? "",
      "%{exitcode}": failure?.exitCode ?? 0,
      "%{http_code}": status,
      "%{num_redirects}": transfer.redirects,
      "%{redirect_url}": (location && URL.parse(location, url.href)?.href) ?? "",
      "%{response_code}": status,
      "%{size_download}": response?.body.length ?? 0,
      "%{time_total}": ((performance.now() - startedAt) / 1000).toFixed(6),
      "%{url_effective}": url.href,
    }),
  );
  const given = options.value("w") ?? "";
  const template = given.startsWith("@") ? await readFile(invocation, given.slice(1)) : given;
  for (const [token] of template.matchAll(/\\[nrt]|%%|%\{\w+\}|[^\\%]+|./gs)) {
    await invocation.step();
    await invocation.print(String(values.get(token) ?? (token.startsWith("%{") ? "" : token)));
  }
}

async function runTransfer(run: Run, address: string, index: number): Promise<void> {
  const startedAt = performance.now();
  const transfer = await attempt(await newTransfer(run, address, index));
  await writeResponse(transfer, index);
  await report(transfer, startedAt);
  if (transfer.failure) throw transfer.failure;
}

export const curl: MachineCommand = {
  name: "curl",
  usage: "curl [options...] <url>",
  usageExitCode: 2,
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    if (options.has("V")) {
      await invocation.print(`curl ${VERSION}\nProtocols: http https\n`);
      return 0;
    }
    const addresses = [...options.values("url"), ...options.operands];
    if (addresses.length === 0) throw new UsageError("no URL specified!");
    let exitCode = 0;
    const reportError = (error: unknown) => {
      if (!(error instanceof TransferError)) throw error;
      exitCode = error.exitCode;
      if (!options.has("s") || options.has("S")) invocation.complain(`(${exitCode}) ${error.message}`);
    };
    try {
      const run = await newRun(invocation, options);
      for (const [index, address] of addresses.entries()) {
        exitCode = 0;
        await runTransfer(run, address, index).catch(reportError);
      }
      const cookieFile = options.value("c");
      if (cookieFile) await save(invocation, cookieFile, new TextEncoder().encode(`${run.cookies}`));
    } catch (error) {
      reportError(error);
    }
    return exitCode;
  },
};
