import { CurlFailure } from "./curl-failure.ts";

/** What `-w` can tell of a transfer. */
export interface TransferReport {
  /** As the command line has it. */
  url: string;
  /** The one that answered, after redirects. */
  effectiveUrl: string;
  method: string;
  /** Of the last response; 0: there was none. */
  status: number;
  /** Of the last response. */
  headers: Headers;
  redirects: number;
  /** Where the last response would have led, had it been followed. */
  redirectUrl: string;
  referer: string;
  /** Bytes of the header blocks of all responses. */
  headerBytes: number;
  downloadedBytes: number;
  uploadedBytes: number;
  seconds: number;
  /** Where the body was written to; empty: standard output. */
  filename: string;
  /** Which URL of the command line it was, from 0. */
  index: number;
  exitCode: number;
  errorMessage: string;
}

const VARIABLES: Record<string, (report: TransferReport) => string | number> = {
  content_type: ({ headers }) => headers.get("content-type") ?? "",
  errormsg: ({ errorMessage }) => errorMessage,
  exitcode: ({ exitCode }) => exitCode,
  filename_effective: ({ filename }) => filename,
  http_code: ({ status }) => status,
  http_version: ({ status }) => (status === 0 ? "0" : "1.1"),
  method: ({ method }) => method,
  num_headers: ({ headers }) => [...headers].length,
  num_redirects: ({ redirects }) => redirects,
  redirect_url: ({ redirectUrl }) => redirectUrl,
  referer: ({ referer }) => referer,
  response_code: ({ status }) => status,
  scheme: ({ effectiveUrl }) => effectiveUrl.slice(0, effectiveUrl.indexOf(":")).toUpperCase(),
  size_download: ({ downloadedBytes }) => downloadedBytes,
  size_header: ({ headerBytes }) => headerBytes,
  size_upload: ({ uploadedBytes }) => uploadedBytes,
  speed_download: ({ downloadedBytes, seconds }) => speed(downloadedBytes, seconds),
  speed_upload: ({ uploadedBytes, seconds }) => speed(uploadedBytes, seconds),
  ssl_verify_result: () => 0,
  time_total: ({ seconds }) => seconds,
  url: ({ url }) => url,
  url_effective: ({ effectiveUrl }) => effectiveUrl,
  urlnum: ({ index }) => index,
};

const ESCAPES: Record<string, string> = { "\\n": "\n", "\\r": "\r", "\\t": "\t", "%%": "%" };

const TOKEN = /\\[nrt]|%%|%header\{(?<header>[^}]*)\}|%\{(?<variable>[^}]*)\}/g;

/** Characters of a report: a short template can name a long header many times. */
const LONGEST_REPORT = 1024 * 1024;

/**
 * Writes out what a template of `-w` asks for.
 *
 * @throws CurlFailure 27 where that becomes too long.
 */
export function formatReport(
  template: string,
  report: TransferReport,
): { stdout: string; stderr: string; unknownVariables: string[] } {
  const written = { stdout: "", stderr: "", unknownVariables: [] as string[] };
  let stream: "stdout" | "stderr" = "stdout";
  let end = 0;
  for (const token of template.matchAll(TOKEN)) {
    written[stream] += template.slice(end, token.index);
    if (written.stdout.length + written.stderr.length > LONGEST_REPORT) {
      throw new CurlFailure(27, `The report of -w is longer than ${LONGEST_REPORT} characters`);
    }
    end = token.index + token[0].length;
    const { header, variable } = token.groups ?? {};
    if (variable === "stdout" || variable === "stderr") stream = variable;
    else if (variable === "onerror") {
      if (report.exitCode === 0) return written;
    } else if (header !== undefined) written[stream] += report.headers.get(header.trim() || "-") ?? "";
    else if (variable === undefined) written[stream] += ESCAPES[token[0]];
    else {
      const value = readVariable(variable, report);
      if (value === undefined) written.unknownVariables.push(variable);
      else written[stream] += value;
    }
  }
  written[stream] += template.slice(end);
  return written;
}

function readVariable(variable: string, report: TransferReport): string | undefined {
  if (variable === "json") return allAsJson(report);
  if (variable === "header_json") return headersAsJson(report.headers);
  if (!Object.hasOwn(VARIABLES, variable)) return undefined;
  const value = VARIABLES[variable]?.(report) ?? "";
  if (variable === "http_code" || variable === "response_code") return String(value).padStart(3, "0");
  return variable.startsWith("time_") && typeof value === "number" ? value.toFixed(6) : String(value);
}

function allAsJson(report: TransferReport): string {
  const entries = Object.entries(VARIABLES).map(([name, read]) => [name, read(report)]);
  const values: Record<string, unknown> = Object.fromEntries(entries);
  return JSON.stringify({ ...values, errormsg: report.errorMessage || null });
}

/** The values of each header in a list, a header to a line. */
function headersAsJson(headers: Headers): string {
  const values = new Map<string, string[]>();
  for (const [name, value] of headers) values.set(name, [...(values.get(name) ?? []), value]);
  const lines = [...values].map(([name, list]) => `${JSON.stringify(name)}:${JSON.stringify(list)}`);
  return `{${lines.join(",\n")}\n}`;
}

function speed(bytes: number, seconds: number): number {
  return seconds > 0 ? Math.round(bytes / seconds) : 0;
}
