import type { MachineResponse } from "../../network.ts";
import { CurlFailure, failureOf } from "./curl-failure.ts";
import { type Destination, outputFile } from "./curl-output.ts";
import { planTransfer } from "./curl-plan.ts";
import {
  bodyOf,
  firstHop,
  type Hop,
  locationOf,
  methodOf,
  nextHop,
  type RequestPlan,
  requestFields,
} from "./curl-request.ts";
import { retryDelay } from "./curl-retry.ts";
import type { CurlRun } from "./curl-run.ts";
import { marked, requestHead, responseHead } from "./curl-wire-text.ts";
import type { TransferReport } from "./curl-write-out.ts";

/** A URL of the command line, with the options that are its own. */
export interface TransferRequest {
  /** Which URL it is, from 0. */
  index: number;
  address: string;
  destination: Destination;
  /** The file of `-T`. */
  upload?: string;
}

/** What an attempt has brought until its end. */
interface Attempt {
  /** The header blocks of all responses. */
  heads: string;
  hop: Hop;
  response?: MachineResponse;
  redirects: number;
  failure?: CurlFailure;
}

/** Asks for a URL, writes what comes, and reports on it, also where it fails. */
export async function runTransfer(run: CurlRun, request: TransferRequest): Promise<TransferReport> {
  const startedAt = performance.now();
  const report: TransferReport = {
    url: request.address,
    effectiveUrl: request.address,
    method: "GET",
    status: 0,
    headers: new Headers(),
    redirects: 0,
    redirectUrl: "",
    referer: run.options.value("e") ?? "",
    headerBytes: 0,
    downloadedBytes: 0,
    uploadedBytes: 0,
    seconds: 0,
    filename: "",
    index: request.index,
    exitCode: 0,
    errorMessage: "",
  };
  try {
    const plan = await planTransfer(run, request.address, request.upload);
    const attempt = await attemptUntilDone(run, plan);
    reportAttempt(report, plan, attempt, run.options.has("L", "location-trusted"));
    await writeAttempt(run, request, plan, attempt, report);
    if (attempt.failure) throw attempt.failure;
  } catch (error) {
    if (!(error instanceof CurlFailure)) throw error;
    report.exitCode = error.exitCode;
    report.errorMessage = error.message;
  }
  report.seconds = (performance.now() - startedAt) / 1000;
  return report;
}

async function attemptUntilDone(run: CurlRun, plan: RequestPlan): Promise<Attempt> {
  const { retry } = run.limits;
  const startedAt = performance.now();
  for (let count = 0; ; count++) {
    const attempt = await attemptOnce(run, plan);
    const end = {
      exitCode: attempt.failure?.exitCode ?? 0,
      status: attempt.response?.status ?? 0,
      retryAfter: attempt.response?.headers.get("retry-after") ?? null,
    };
    const elapsed = (performance.now() - startedAt) / 1000;
    const delay = retryDelay(retry, end, { attempt: count, now: secondsNow(), elapsed });
    if (delay === undefined) return attempt;
    const problem = end.exitCode === 0 || end.exitCode === 22 ? "HTTP error" : attempt.failure?.message;
    run.warn(`Problem: ${problem}. Will retry in ${delay} seconds. ${retry.retries - count} retries left.`);
    await pause(delay * 1000, run.signal);
  }
}

async function attemptOnce(run: CurlRun, plan: RequestPlan): Promise<Attempt> {
  const attempt: Attempt = { heads: "", hop: firstHop(plan), redirects: 0 };
  const deadline = performance.now() + run.limits.timeMs;
  try {
    await follow(run, plan, attempt, deadline);
    const status = attempt.response?.status ?? 0;
    if (status >= 400 && run.options.has("f", "fail-with-body")) {
      throw new CurlFailure(22, `The requested URL returned error: ${status}`);
    }
  } catch (error) {
    attempt.failure = failureOf(error, attempt.hop.url);
  }
  return attempt;
}

async function follow(run: CurlRun, plan: RequestPlan, attempt: Attempt, deadline: number): Promise<void> {
  const isFollowing = run.options.has("L", "location-trusted");
  for (;;) {
    const { hop } = attempt;
    const response = await exchange(run, plan, hop, deadline);
    attempt.response = response;
    attempt.heads += responseHead(response);
    const location = locationOf(response.status, response.headers);
    if (!isFollowing || location === undefined) return;
    if (attempt.redirects >= run.limits.redirects) {
      throw new CurlFailure(47, `Maximum (${run.limits.redirects}) redirects followed`);
    }
    attempt.hop = nextHop(plan, hop, response.status, location);
    attempt.redirects++;
    await run.invocation.step();
  }
}

async function exchange(
  run: CurlRun,
  plan: RequestPlan,
  hop: Hop,
  deadline: number,
): Promise<MachineResponse> {
  const { invocation, jar } = run;
  const fields = requestFields(plan, hop, jar?.cookiesFor(hop.url, secondsNow()) ?? []);
  const method = methodOf(plan, hop);
  const isVerbose = run.options.has("v");
  if (isVerbose) invocation.say(marked(">", requestHead(method, hop.url, fields)));
  const response = await invocation.environment.fetch(hop.url.href, {
    method,
    headers: fields.map(({ name, value }): [string, string] => [name, value]),
    body: bodyOf(plan, hop)?.bytes,
    signal: run.signal,
    // Redirects are followed as curl does it, and each is a request of its own to the guard.
    followRedirects: false,
    timeoutMs: Math.max(1, deadline - performance.now()),
  });
  if (isVerbose) invocation.say(marked("<", responseHead(response)));
  jar?.store(response.headers.getSetCookie(), hop.url, secondsNow());
  return response;
}

function reportAttempt(
  report: TransferReport,
  plan: RequestPlan,
  { hop, heads, response, redirects }: Attempt,
  isFollowing: boolean,
): void {
  report.effectiveUrl = hop.url.href;
  report.method = methodOf(plan, hop);
  report.redirects = redirects;
  report.uploadedBytes = bodyOf(plan, hop)?.bytes.length ?? 0;
  report.headerBytes = new TextEncoder().encode(heads).length;
  if (response === undefined) return;
  report.status = response.status;
  report.headers = response.headers;
  const location = locationOf(response.status, response.headers);
  if (location !== undefined && !isFollowing && URL.canParse(location, hop.url.href)) {
    report.redirectUrl = new URL(location, hop.url.href).href;
  }
}

/** Writes the headers and the body of a response to where the options want them. @throws CurlFailure 23 */
async function writeAttempt(
  run: CurlRun,
  { destination }: TransferRequest,
  plan: RequestPlan,
  { heads, response, failure }: Attempt,
  report: TransferReport,
): Promise<void> {
  const { options } = run;
  await run.dumpHeaders(heads);
  if (response === undefined) return;
  const failsSilently = options.last("f", "fail-with-body") === "f";
  const hasBody = failure === undefined || (failure.exitCode === 22 && !failsSilently);
  const shown = options.has("i", "I") ? heads : "";
  // Of a file that is not newer, as `-z` asks, the old one stays.
  const isUnchanged = response.status === 304 && options.has("z");
  if (isUnchanged || (!hasBody && shown === "")) return;

  const file = outputFile(options, destination, plan.url, response.headers);
  const output = run.open(file);
  report.filename = file ?? "";
  await output.print(shown);
  if (!hasBody || options.has("I")) return;
  report.downloadedBytes = response.body.length;
  await output.write(response.body);
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** @throws the signal's reason */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", end, { once: true });
  });
}
