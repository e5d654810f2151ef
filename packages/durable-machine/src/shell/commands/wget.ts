import type { MachineResponse } from "../../network.ts";
import { CurlFailure, failureOf } from "./curl-failure.ts";
import { CurlOutput } from "./curl-output.ts";
import { signalOf } from "./curl-signal.ts";
import { allowedSchemes, readUrl, remoteName } from "./curl-url.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

const USER_AGENT = "Wget/1.21.3";

const EXIT_CODES = { failure: 1, usage: 2, file: 3, network: 4, server: 8 };

/** By the exit codes that curl has for them; all others are the network's. */
const FAILURES: ReadonlyMap<number, keyof typeof EXIT_CODES> = new Map([
  [1, "failure"],
  [3, "failure"],
  [23, "file"],
]);

const OPTIONS = [
  "O,output-document=",
  "P,directory-prefix=",
  "U,user-agent=",
  "n=",
  "q,quiet",
  ",header=",
  ",no-check-certificate",
  ",no-verbose",
  ",post-data=",
  ",spider",
];

/** @throws UsageError */
function readHeaders(options: ParsedOptions): [name: string, value: string][] {
  const given = options.values("header").map((header): [string, string] => {
    const colon = header.indexOf(":");
    if (colon < 1) throw new UsageError(`--header: Invalid header ${header}.`, { hint: false });
    return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()];
  });
  const usual: [string, string][] = [
    ["Accept", "*/*"],
    ["User-Agent", options.value("U") ?? USER_AGENT],
    ["Content-Type", options.has("post-data") ? "application/x-www-form-urlencoded" : ""],
  ];
  const replaced = new Set(given.map(([name]) => name.toLowerCase()));
  return [...usual.filter(([name, value]) => value !== "" && !replaced.has(name.toLowerCase())), ...given];
}

async function fetchOnce(invocation: Invocation, options: ParsedOptions, url: URL): Promise<MachineResponse> {
  const data = options.value("post-data");
  return await invocation.environment.fetch(url.href, {
    method: data === undefined ? (options.has("spider") ? "HEAD" : "GET") : "POST",
    headers: readHeaders(options),
    body: data,
    signal: signalOf(invocation),
  });
}

/** The URL's own name, with a number where a file has it already. */
async function freshName(invocation: Invocation, options: ParsedOptions, url: URL): Promise<string> {
  const directory = options.value("P");
  const name = (remoteName(url) || "index.html") + url.search.replaceAll("/", "%2F");
  const path = directory === undefined ? name : `${directory.replace(/\/$/, "")}/${name}`;
  let free = path;
  for (let number = 1; invocation.files.exists(invocation.path(free), invocation.credentials); number++) {
    free = `${path}.${number}`;
    await invocation.step();
  }
  return free;
}

/** @throws CurlFailure */
async function download(
  invocation: Invocation,
  options: ParsedOptions,
  address: string,
  document: CurlOutput | undefined,
): Promise<number> {
  const isQuiet = options.has("q");
  const isTerse = options.has("no-verbose") || options.value("n") === "v";
  const say = (text: string) => {
    if (!isQuiet && !isTerse) invocation.say(`${text}\n`);
  };
  const url = readUrl(address, { globs: false, schemes: allowedSchemes([]) });
  say(`--${now()}--  ${url.href}`);
  const response = await fetchOnce(invocation, options, url).catch((error: unknown) => {
    throw failureOf(error, url);
  });
  say(`HTTP request sent, awaiting response... ${response.status} ${response.statusText}`);
  if (response.status >= 400) {
    if (!isQuiet) invocation.say(`${now()} ERROR ${response.status}: ${response.statusText}.\n`);
    return EXIT_CODES.server;
  }
  if (options.has("spider")) return 0;
  const name = options.value("O") ?? (await freshName(invocation, options, url));
  await (document ?? open(invocation, options, name)).write(response.body);
  if (!isQuiet) invocation.say(`${now()} - ‘${name}’ saved [${response.body.length}]\n`);
  return 0;
}

function open(invocation: Invocation, options: ParsedOptions, name: string): CurlOutput {
  return CurlOutput.open(invocation, name === "-" ? undefined : name, {
    makesDirectories: !options.has("O"),
    warn: (text) => invocation.warn(text),
  });
}

function complainOf(invocation: Invocation, options: ParsedOptions, error: unknown): number {
  if (!(error instanceof CurlFailure)) throw error;
  if (!options.has("q")) invocation.complain(error.message);
  return EXIT_CODES[FAILURES.get(error.exitCode) ?? "network"];
}

function now(): string {
  return new Date().toISOString().slice(0, 19).replace("T", " ");
}

export const wget: MachineCommand = {
  name: "wget",
  usage: "wget [OPTION]... [URL]...",
  usageExitCode: EXIT_CODES.usage,
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    if (options.operands.length === 0) throw new UsageError("missing URL");
    const name = options.value("O");
    let exitCode = 0;
    try {
      const document = name === undefined ? undefined : open(invocation, options, name);
      for (const address of options.operands) {
        const code = await download(invocation, options, address, document).catch((error: unknown) =>
          complainOf(invocation, options, error),
        );
        exitCode ||= code;
      }
    } catch (error) {
      return complainOf(invocation, options, error);
    }
    return exitCode;
  },
};
