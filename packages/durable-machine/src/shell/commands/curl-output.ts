import { FileError } from "../../file-system/file-error.ts";
import { type ByteSink, openSink, outputSink } from "./byte-sink.ts";
import { PIECE_LENGTH } from "./byte-source.ts";
import { CurlFailure } from "./curl-failure.ts";
import { dispositionName, remoteName } from "./curl-url.ts";
import { errorText } from "./error-text.ts";
import type { Invocation } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

/** Where the body of a URL goes: to a file, to one named as the URL's, or to standard output. */
export type Destination = { to: "file"; name: string } | { to: "remote name" } | { to: "stdout" };

/** What `-o` and `-O` say, in their order, of the URLs in theirs. */
export function readDestinations(options: ParsedOptions): Destination[] {
  return options.given.flatMap(({ key, value }): Destination[] => {
    if (key === "O") return [{ to: "remote name" }];
    if (key !== "o" || value === undefined) return [];
    return [value === "-" ? { to: "stdout" } : { to: "file", name: value }];
  });
}

/**
 * The file that a body goes to; undefined: standard output.
 *
 * @throws CurlFailure 23 where the URL has no name to call it by.
 */
export function outputFile(
  options: ParsedOptions,
  destination: Destination,
  url: URL,
  headers: Headers,
): string | undefined {
  if (destination.to === "stdout") return undefined;
  const name = destination.to === "file" ? destination.name : nameAtServer(options, url, headers);
  const directory = options.value("output-dir");
  return directory === undefined ? name : `${directory.replace(/\/$/, "")}/${name}`;
}

function nameAtServer(options: ParsedOptions, url: URL, headers: Headers): string {
  const given = options.has("J") ? dispositionName(headers.get("content-disposition")) : undefined;
  const name = given ?? remoteName(url);
  if (name === "") throw new CurlFailure(23, "Failed writing received data to disk/application");
  return name;
}

/** A file or standard output, to which curl writes; what the file held before is gone. */
export class CurlOutput {
  readonly #sink: ByteSink;

  private constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /**
   * @param path undefined: standard output.
   * @throws CurlFailure 23
   */
  static open(
    invocation: Invocation,
    path: string | undefined,
    { makesDirectories, warn }: { makesDirectories: boolean; warn: (text: string) => void },
  ): CurlOutput {
    if (path === undefined) return new CurlOutput(outputSink(invocation));
    try {
      if (makesDirectories) makeParents(invocation, path);
      return new CurlOutput(openSink(invocation, path));
    } catch (error) {
      warn(`Failed to open the file ${path}: ${errorText(error)}`);
      throw new CurlFailure(23, "Failure writing output to destination");
    }
  }

  /** @throws CurlFailure 23 */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let start = 0; start < bytes.length; start += PIECE_LENGTH) {
        await this.#sink.write(bytes.subarray(start, start + PIECE_LENGTH));
      }
      await this.#sink.flush();
    } catch (error) {
      if (error instanceof FileError) throw new CurlFailure(23, "Failure writing output to destination");
      throw error;
    }
  }

  async print(text: string): Promise<void> {
    await this.write(new TextEncoder().encode(text));
  }
}

function makeParents(invocation: Invocation, path: string): void {
  const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  if (parent === "") return;
  const { files, credentials } = invocation;
  files.makeDirectory(invocation.path(parent), credentials, { mode: 0o750, parents: true });
}
