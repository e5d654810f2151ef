import type { MachineResponse } from "../../network.ts";
import { writtenBytes } from "../byte-strings.ts";
import { type RequestBody, readData, readFile, readForm, utf8 } from "./curl-body.ts";
import { CookieJar } from "./curl-cookies.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { parseUrl, requestHeaders, save, send, TransferError } from "./transfer.ts";

const OPTIONS = [
  "A,user-agent= D,dump-header= F,form= G,get H,header= I,head J,remote-header-name L,location O,remote-name",
  "S,show-error T,upload-file= V,version X,request= b,cookie= c,cookie-jar= d,data= e,referer= f,fail",
  "i,include m,max-time= o,output= r,range= s,silent u,user= v,verbose w,write-out= ,compressed ,create-dirs",
  ",data-binary= ,data-raw= ,data-urlencode= ,fail-with-body ,json= ,location-trusted ,max-redirs= ,output-dir=",
  ",proto= ,remote-name-all ,retry= ,retry-all-errors ,retry-connrefused ,retry-delay= ,url=",
  // Those of connections and terminals have no effect.
  "#,progress-bar 0,http1.0 1,tlsv1 4,ipv4 6,ipv6 N,no-buffer g,globoff k,insecure q,disable ,basic",
  ",connect-timeout= ,http1.1 ,http2 ,http3 ,keepalive-time= ,limit-rate= ,no-keepalive ,no-progress-meter",
  ",noproxy= ,retry-max-time= ,ssl-reqd ,styled-output ,tcp-nodelay ,tls-max= ,tlsv1.0 ,tlsv1.1 ,tlsv1.2 ,tlsv1.3",
].flatMap((line) => line.split(" "));

const VERSION = "7.88.1";
const MAX_REDIRECTS = 50;
const TRANSIENT_STATUSES = [408, 429, 500, 502, 503, 504];
const MAX_RETRY_DELAY_SECONDS = 600;
/** How late a wait notices that its process has died. */
const MAX_SLEEP_MS = 200;

/** Characters of what `-w` writes: a short template can name a long URL many times. */
const MAX_REPORT_LENGTH = 1024 * 1024;

const encoder = new TextEncoder();

/** What the URLs of one command line share. */
interface Run {
  invocation: Invocation;
  options: ParsedOptions;
  body?: RequestBody;
  /** Without, what servers set is forgotten. */
  jar?: CookieJar;
  /** Bytes that the file of `-D` has got. */
  dumped: number;
}

/** One URL of the command line. */
interface Transfer {
  /** As given, with credentials. */
  readonly first: URL;
  /** The URL of the last request, without credentials. */
  url: URL;
  /** Without regard to `-X`. */
  method: string;
  body?: RequestBody;
  redirects: number;
  heads: string;
  response?: MachineResponse;
  failure?: TransferError;
}

async function newRun(invocation: Invocation, options: ParsedOptions): Promise<Run> {
  const run: Run = { invocation, options, dumped: 0 };
  const hasHost = options.values("H").some((header) => /^host\s*:/i.test(header));
  if (hasHost && !options.has("s")) invocation.say("Warning: The Host header cannot be chosen here\n");
  const content = options.has("G") ? undefined : await readData(invocation, options);
  const type = options.has("json") ? "application/json" : "application/x-www-form-urlencoded";
  if (content !== undefined) run.body = { content, type };
  if (options.has("F")) run.body = await readForm(invocation, options);
  const files = options.values("b").filter((value) => !value.includes("="));
  if (files.length > 0 || options.has("c")) run.jar = new CookieJar();
  for (const file of files) {
    const exists = file !== "" && invocation.files.exists(invocation.path(file), invocation.credentials);
    if (exists) run.jar?.load(await readFile(invocation, file));
  }
  return run;
}

async function newTransfer(run: Run, address: string, index: number): Promise<Transfer> {
  const { invocation, options } = run;
  const first = parseUrl(address, { proto: options.value("proto") });
  const query = options.has("G") ? await readData(invocation, options) : undefined;
  if (query !== undefined) first.search += `${first.search === "" ? "?" : "&"}${query}`;
  const upload = options.values("T")[index];
  // An upload into a directory keeps its name.
  const name = encodeURIComponent(upload?.split("/").at(-1) ?? "");
  if (first.pathname.endsWith("/")) first.pathname += name;
  const sent = upload === undefined ? run.body : { content: await readFile(invocation, upload) };
  const method = options.has("I") ? "HEAD" : upload !== undefined ? "PUT" : sent ? "POST" : "GET";
  const url = new URL(first);
  url.username = "";
  url.password = "";
  return { first, url, method, body: sent, redirects: 0, heads: "" };
}

/** The headers of a request. Another origin than the first learns no secrets. */
function headersOf({ options, jar }: Run, { first, url, body }: Transfer): [string, string][] {
  const isTrusted = url.origin === first.origin || options.has("location-trusted");
  const cookies = isTrusted ? options.values("b").filter((value) => value.includes("=")) : [];
  const range = options.value("r");
  const standard: [string, string | undefined][] = [
    ["Authorization", isTrusted ? authorizationOf(options.value("u"), first) : undefined],
    ["User-Agent", (options.value("A") ?? `curl/${VERSION}`) || undefined],
    ["Accept", options.has("json") ? "application/json" : "*/*"],
    ["Range", range && `bytes=${range}`],
    // Those that the platform undoes.
    ["Accept-Encoding", options.has("compressed") ? "gzip, br" : undefined],
    ["Referer", options.value("e")],
    ["Cookie", [...(jar?.cookiesFor(url) ?? []), ...cookies].join("; ") || undefined],
    ["Content-Type", body?.type],
  ];
  const isSecret = (header: string) => /^\s*(authorization|cookie)\s*[:;]/i.test(header);
  const custom = options.values("H").filter((header) => isTrusted || !isSecret(header));
  return requestHeaders(standard, custom);
}

function authorizationOf(given: string | undefined, { username, password }: URL): string | undefined {
  const own = `${username}:${password}`.replace(/%([\da-f]{2})/gi, (_, digits) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const credentials = given === undefined ? own : utf8(given.includes(":") ? given : `${given}:`);
  return credentials === ":" ? undefined : `Basic ${btoa(credentials)}`;
}

function headOf(start: string, headers: Iterable<[string, string]>): string {
  return `${start}\r\n${Array.from(headers, ([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** Where a redirect leads to; null: the response is no redirect. */
function locationOf({ status, headers }: MachineResponse): string | null {
  return status >= 300 && status < 400 ? headers.get("location") : null;
}

/** Makes one request. @throws TransferError */
async function exchange(run: Run, transfer: Transfer, timeoutMs: number): Promise<MachineResponse> {
  const { invocation, options, jar } = run;
  const { url, body } = transfer;
  const method = options.value("X") ?? transfer.method;
  const headers = headersOf(run, transfer);
  const show = (mark: string, head: string) => {
    if (options.has("v")) invocation.say(head.replaceAll(/.*\r\n/g, `${mark} $&`));
  };
  show(">", headOf(`${method} ${url.pathname}${url.search} HTTP/1.1`, [["Host", url.host], ...headers]));
  const content = body && writtenBytes(body.content, "binary");
  const request = { method, headers, body: content, followRedirects: false, timeoutMs };
  const response = await send(invocation, url, request);
  const head = headOf(`HTTP/1.1 ${response.status} ${response.statusText}`, response.headers);
  show("<", head);
  transfer.heads += head;
  transfer.response = response;
  jar?.store(response.headers.getSetCookie(), url);
  return response;
}

/** Asks for a URL, and for those that it redirects to. @throws TransferError */
async function follow(run: Run, transfer: Transfer): Promise<void> {
  const { options } = run;
  const deadline = performance.now() + (Number(options.value("m")) || Number.POSITIVE_INFINITY) * 1000;
  const given = Number(options.value("max-redirs") ?? MAX_REDIRECTS);
  const maxRedirects = given >= 0 ? Math.min(given, MAX_REDIRECTS) : MAX_REDIRECTS;
  for (;;) {
    await run.invocation.step();
    const response = await exchange(run, transfer, Math.max(1, deadline - performance.now()));
    const { status } = response;
    const location = locationOf(response);
    if (location === null || !options.has("L", "location-trusted")) {
      if (status < 400 || !options.has("f", "fail-with-body")) return;
      throw new TransferError(22, `The requested URL returned error: ${status}`);
    }
    if (transfer.redirects === maxRedirects) {
      throw new TransferError(47, `Maximum (${maxRedirects}) redirects followed`);
    }
    transfer.redirects++;
    transfer.url = parseUrl(location, { proto: options.value("proto"), base: transfer.url });
    const isGet = status === 303 ? transfer.method !== "HEAD" : status < 303 && transfer.method === "POST";
    if (isGet) Object.assign(transfer, { method: "GET", body: undefined });
  }
}

/** Asks for a URL until the answer is not to be had by another try. @returns the last attempt. */
async function attempt(run: Run, start: Transfer): Promise<Transfer> {
  const { invocation, options } = run;
  for (let tries = 0; ; tries++) {
    const transfer = { ...start };
    try {
      await follow(run, transfer);
    } catch (error) {
      if (!(error instanceof TransferError)) throw error;
      transfer.failure = error;
    }
    const { response, failure } = transfer;
    const isTransient =
      TRANSIENT_STATUSES.includes(response?.status ?? 0) ||
      failure?.exitCode === 28 ||
      (failure?.exitCode === 7 && options.has("retry-connrefused")) ||
      (failure && options.has("retry-all-errors"));
    const left = Number(options.value("retry") ?? 0) - tries;
    if (!isTransient || !(left > 0)) return transfer;
    const asked = Number(response?.headers.get("retry-after")) || 0;
    const wanted = Number(options.value("retry-delay")) || Math.max(asked, 2 ** tries);
    const delay = Math.min(wanted, MAX_RETRY_DELAY_SECONDS);
    const warning = `Problem: ${failure?.message ?? "HTTP error"}. Will retry in ${delay} seconds.`;
    if (!options.has("s")) invocation.say(`Warning: ${warning} ${left} retries left.\n`);
    const end = performance.now() + delay * 1000;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, Math.min(MAX_SLEEP_MS, end - performance.now())));
      await invocation.step();
    }
  }
}

/** The file for a body; `-` is standard output. @throws TransferError 23 */
function outputFile(options: ParsedOptions, { first, response }: Transfer, index: number): string {
  const outputs = options.given.filter(({ key }) => key === "o" || key === "O");
  const usual = { key: options.has("remote-name-all") ? "O" : "o", value: "-" };
  const { key, value = "" } = outputs[index] ?? usual;
  if (key === "o" && value === "-") return value;
  const disposition = options.has("J") ? response?.headers.get("content-disposition") : undefined;
  const [, given] = /;\s*filename="?([^";]+)/i.exec(disposition ?? "") ?? [];
  const name = key === "o" ? value : (given ?? first.pathname).split(/[/\\]/).at(-1);
  if (!name) throw new TransferError(23, "Failed writing received data to disk/application");
  const directory = options.value("output-dir");
  return directory === undefined ? name : `${directory}/${name}`;
}

/** Writes the headers and the body of a response. @returns the file. @throws TransferError 23 */
async function writeResponse(run: Run, transfer: Transfer, index: number): Promise<string> {
  const { invocation, options } = run;
  const { response, failure } = transfer;
  const head = encoder.encode(transfer.heads);
  const dump = options.value("D");
  if (dump) await save(invocation, dump, head, { offset: run.dumped });
  run.dumped += head.length;
  const isKept = !failure || (failure.exitCode === 22 && options.last("f", "fail-with-body") !== "f");
  const offset = options.has("i", "I") ? head.length : 0;
  if (!response || (!isKept && offset === 0)) return "-";
  const file = outputFile(options, transfer, index);
  await save(invocation, file, head.subarray(0, offset), { makesParents: options.has("create-dirs") });
  if (isKept) await save(invocation, file, response.body, { offset });
  return file;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", "\\r": "\r", "\\t": "\t", "%%": "%" };

/** Fills in the template of `-w`. @throws TransferError */
async function report({ invocation, options }: Run, variables: Map<string, unknown>): Promise<void> {
  const given = options.value("w") ?? "";
  const template = given.startsWith("@") ? await readFile(invocation, given.slice(1)) : given;
  let length = 0;
  const text = template.replace(/\\[nrt]|%%|%\{(\w+)\}/g, (token, name: string) => {
    const value = ESCAPES[token] ?? String(variables.get(name) ?? "");
    length += value.length;
    if (length > MAX_REPORT_LENGTH) throw new TransferError(27, "The text of -w is too long");
    return value;
  });
  await invocation.print(text);
}

/** @throws TransferError */
async function runTransfer(run: Run, address: string, index: number): Promise<void> {
  const startedAt = performance.now();
  const transfer = await attempt(run, await newTransfer(run, address, index));
  const file = await writeResponse(run, transfer, index);
  const { url, response, failure } = transfer;
  const location = response && locationOf(response);
  const status = String(response?.status ?? 0).padStart(3, "0");
  const variables = {
    content_type: response?.headers.get("content-type"),
    errormsg: failure?.message,
    exitcode: failure?.exitCode ?? 0,
    filename_effective: file,
    http_code: status,
    method: transfer.method,
    num_redirects: transfer.redirects,
    redirect_url: location && URL.canParse(location, url.href) ? new URL(location, url).href : "",
    response_code: status,
    size_download: response?.body.length ?? 0,
    time_total: ((performance.now() - startedAt) / 1000).toFixed(6),
    url: address,
    url_effective: url.href,
  };
  await report(run, new Map(Object.entries(variables)));
  if (failure) throw failure;
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
    const complain = (error: unknown) => {
      if (!(error instanceof TransferError)) throw error;
      exitCode = error.exitCode;
      if (!options.has("s") || options.has("S")) invocation.complain(`(${exitCode}) ${error.message}`);
    };
    try {
      const run = await newRun(invocation, options);
      for (const [index, address] of addresses.entries()) {
        exitCode = 0;
        await runTransfer(run, address, index).catch(complain);
      }
      const cookieFile = options.value("c");
      if (cookieFile) await save(invocation, cookieFile, encoder.encode(run.jar?.toString()));
    } catch (error) {
      complain(error);
    }
    return exitCode;
  },
};
