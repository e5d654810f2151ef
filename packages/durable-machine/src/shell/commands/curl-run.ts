import { FileError } from "../../file-system/file-error.ts";
import { type RequestBody, readBody, readData } from "./curl-body.ts";
import { CookieJar } from "./curl-cookies.ts";
import { readLimits, type TransferLimits } from "./curl-options.ts";
import { CurlOutput } from "./curl-output.ts";
import { type CustomHeader, readCustomHeader } from "./curl-request.ts";
import { readText } from "./curl-sent-bytes.ts";
import { signalOf } from "./curl-signal.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

/** Bytes of what `-G` puts behind a URL: servers take far less. */
const LONGEST_QUERY = 64 * 1024;

/** What the transfers of one command line share. */
export class CurlRun {
  readonly invocation: Invocation;
  readonly options: ParsedOptions;
  readonly headers: readonly CustomHeader[];
  readonly body: RequestBody | undefined;
  /** What `-G` puts behind each URL. */
  readonly query: string | undefined;
  readonly limits: TransferLimits;
  /** Without, what servers set is forgotten. */
  readonly jar: CookieJar | undefined;
  readonly signal: AbortSignal;
  #headerDump: CurlOutput | undefined;

  private constructor(
    invocation: Invocation,
    options: ParsedOptions,
    read: Pick<CurlRun, "headers" | "body" | "query" | "jar">,
  ) {
    this.invocation = invocation;
    this.options = options;
    this.headers = read.headers;
    this.body = read.body;
    this.query = read.query;
    this.limits = readLimits(options);
    this.jar = read.jar;
    this.signal = signalOf(invocation);
  }

  /** Reads what the options name. @throws CurlFailure, UsageError */
  static async begin(invocation: Invocation, options: ParsedOptions): Promise<CurlRun> {
    const headers = await readHeaders(invocation, options);
    const body = await readBody(invocation, options);
    const query = options.has("G") ? await readData(invocation, options, LONGEST_QUERY) : undefined;
    const jar = await readJar(invocation, options);
    return new CurlRun(invocation, options, {
      headers,
      body,
      query: query && new TextDecoder().decode(query),
      jar,
    });
  }

  get isSilent(): boolean {
    return this.options.has("s");
  }

  warn(text: string): void {
    if (!this.isSilent) this.invocation.say(`Warning: ${text}\n`);
  }

  open(path: string | undefined): CurlOutput {
    return CurlOutput.open(this.invocation, path, {
      makesDirectories: this.options.has("create-dirs"),
      warn: (text) => this.warn(text),
    });
  }

  /** Writes headers to the file of `-D`, which holds those of all transfers. @throws CurlFailure 23 */
  async dumpHeaders(text: string): Promise<void> {
    const path = this.options.value("D");
    if (path === undefined) return;
    this.#headerDump ??= this.open(path === "-" ? undefined : path);
    await this.#headerDump.print(text);
  }

  /** Writes the file of `-c`. */
  async saveCookies(): Promise<void> {
    const path = this.options.value("c");
    if (path === undefined || this.jar === undefined) return;
    const text = this.jar.toString();
    if (path === "-") return await this.invocation.print(text);
    const { files, credentials } = this.invocation;
    try {
      files.writeAll(this.invocation.path(path), new TextEncoder().encode(text), credentials);
    } catch (error) {
      this.warn(`failed to save cookies in ${path}: ${errorText(error)}`);
    }
  }
}

async function readHeaders(invocation: Invocation, options: ParsedOptions): Promise<CustomHeader[]> {
  const lines: string[] = [];
  for (const value of options.values("H")) {
    if (value.startsWith("@")) lines.push(...(await readText(invocation, value.slice(1))).split(/\r?\n/));
    else lines.push(value);
  }
  return lines.flatMap((line) => readCustomHeader(line) ?? []);
}

async function readJar(invocation: Invocation, options: ParsedOptions): Promise<CookieJar | undefined> {
  const files = options.values("b").filter((value) => !value.includes("="));
  if (files.length === 0 && !options.has("c")) return undefined;
  const jar = new CookieJar();
  for (const file of files) {
    // Where there is none, cookies begin to be kept, as the documentation recommends it.
    const isThere = file === "-" || isFile(invocation, file);
    if (isThere) jar.load(await readText(invocation, file), { keepsSessionCookies: !options.has("j") });
  }
  return jar;
}

function isFile(invocation: Invocation, operand: string): boolean {
  try {
    return invocation.files.status(invocation.path(operand), invocation.credentials).type === "file";
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
