import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { parseUrl, requestHeaders, save, send, TransferError } from "./transfer.ts";

const OPTIONS = [
  "O,output-document= P,directory-prefix= U,user-agent= n= q,quiet ,header= ,no-verbose ,post-data= ,spider",
  // These have no effect.
  "4,inet4-only 6,inet6-only T,timeout= c,continue t,tries= ,no-check-certificate ,progress= ,show-progress",
].join(" ");

/** By the exit codes of curl. Default: 4, a failure of the network. */
const EXIT_CODES: Readonly<Record<number, number>> = { 1: 1, 3: 1, 22: 8, 23: 3 };

/** A number follows the name of a file that exists. */
async function freshName(invocation: Invocation, url: URL, directory?: string): Promise<string> {
  const name = (url.pathname.split("/").at(-1) || "index.html") + url.search.replaceAll("/", "%2F");
  const path = directory === undefined ? name : `${directory}/${name}`;
  let free = path;
  for (let number = 1; invocation.files.exists(invocation.path(free), invocation.credentials); number++) {
    free = `${path}.${number}`;
    await invocation.step();
  }
  return free;
}

function now(): string {
  return new Date().toISOString().slice(0, 19).replace("T", " ");
}

/** @param offset where the download begins in the file of `-O`. @returns its bytes. @throws TransferError */
async function download(invocation: Invocation, options: ParsedOptions, address: string, offset: number) {
  const isTerse = options.has("q", "no-verbose") || options.value("n") === "v";
  const log = (text: string) => invocation.say(isTerse ? "" : `${text}\n`);
  const url = parseUrl(address);
  log(`--${now()}--  ${url.href}`);
  const body = options.value("post-data");
  const standard: [string, string | undefined][] = [
    ["Accept", "*/*"],
    ["User-Agent", options.value("U") ?? "Wget/1.21.3"],
    ["Content-Type", body && "application/x-www-form-urlencoded"],
  ];
  const headers = requestHeaders(standard, options.values("header"));
  const method = body !== undefined ? "POST" : options.has("spider") ? "HEAD" : "GET";
  const response = await send(invocation, url, { method, headers, body });
  const { status, statusText } = response;
  log(`HTTP request sent, awaiting response... ${status} ${statusText}`);
  if (status >= 400) throw new TransferError(22, `ERROR ${status}: ${statusText}.`);
  if (options.has("spider")) return 0;
  const file = options.value("O") ?? (await freshName(invocation, url, options.value("P")));
  await save(invocation, file, response.body, { offset, makesParents: !options.has("O") });
  if (!options.has("q")) invocation.say(`${now()} - ‘${file}’ saved [${response.body.length}]\n`);
  return response.body.length;
}

export const wget: MachineCommand = {
  name: "wget",
  usage: "wget [OPTION]... [URL]...",
  usageExitCode: 2,
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    if (options.operands.length === 0) throw new UsageError("missing URL");
    let exitCode = 0;
    let saved = 0;
    for (const address of options.operands) {
      try {
        saved += await download(invocation, options, address, options.has("O") ? saved : 0);
      } catch (error) {
        if (!(error instanceof TransferError)) throw error;
        if (!options.has("q")) invocation.complain(error.message);
        exitCode ||= EXIT_CODES[error.exitCode] ?? 4;
      }
    }
    return exitCode;
  },
};
