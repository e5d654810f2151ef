import type { MachineRequest } from "../../network.ts";
import { openSink, outputSink } from "./byte-sink.ts";
import { PIECE_LENGTH } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";

/** A transfer has failed; the exit code is curl's. */
export class TransferError extends Error {
  override readonly name = "TransferError";
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** By the reason of a failure. Default: 7, no connection. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  invalid_request: 4,
  unresolved: 6,
  timed_out: 28,
  too_many_redirects: 47,
  response_too_large: 63,
};

/** Sends a request, which is aborted with the command. @throws TransferError */
export async function send(invocation: Invocation, url: URL, request: MachineRequest) {
  const { context, environment } = invocation;
  const signals = [environment.signal, ...(context.signal ? [context.signal] : [])];
  try {
    return await environment.fetch(url.href, { ...request, signal: AbortSignal.any(signals) });
  } catch (error) {
    if (!(error instanceof Error && "reason" in error && typeof error.reason === "string")) throw error;
    throw new TransferError(EXIT_CODES[error.reason] ?? 7, error.message);
  }
}

/** Reads a URL, which may lack its scheme, or the address that a redirect from `base` leads to. */
export function parseUrl(text: string, proto = "http,https", base?: URL): URL {
  const address = base || /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = base || !/[\s\p{Cc}]/u.test(text) ? URL.parse(address, base?.href) : null;
  if (url === null) throw new TransferError(3, "URL using bad/illegal format or missing URL");
  const scheme = url.protocol.slice(0, -1);
  if (!/^https?$/.test(scheme) || !proto.replace(/^=/, "").split(",").includes(scheme)) {
    throw new TransferError(1, `Protocol "${scheme}" not supported or disabled in libcurl`);
  }
  url.hash = "";
  return url;
}

type Header = readonly [name: string, value: string | undefined];

/** @param custom `name: value`, `name:` for a header that is not sent, or `name;` for an empty one. */
export function requestHeaders(standard: readonly Header[], custom: readonly string[]): [string, string][] {
  const given = custom.flatMap((text): Header[] => {
    const [, name = "", separator, rest = ""] = /^([^:;]+)([:;])(.*)$/s.exec(text) ?? [];
    const value = rest.trim();
    if (separator === undefined || (separator === ";" && value !== "")) return [];
    return [[name.trim(), separator === ":" && value === "" ? undefined : value]];
  });
  const replaced = given.map(([name]) => name.toLowerCase());
  const kept = standard.filter(([name]) => !replaced.includes(name.toLowerCase()));
  return [...kept, ...given].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}

/** Replaces what a file holds from `offset` on; `-` is standard output. @throws TransferError 23 */
export async function save(
  invocation: Invocation,
  path: string,
  bytes: Uint8Array,
  { offset = 0, makesParents = false } = {},
): Promise<void> {
  try {
    if (makesParents && path.includes("/")) {
      const parent = invocation.path(path.slice(0, path.lastIndexOf("/") + 1));
      invocation.files.makeDirectory(parent, invocation.credentials, { mode: 0o750, parents: true });
    }
    const sink = path === "-" ? outputSink(invocation) : openSink(invocation, path, { offset });
    for (let start = 0; start < bytes.length; start += PIECE_LENGTH) {
      await sink.write(bytes.subarray(start, start + PIECE_LENGTH));
    }
    await sink.flush();
  } catch (error) {
    throw new TransferError(23, `Failed to write ${path}: ${errorText(error)}`);
  }
}
