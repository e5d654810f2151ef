import { Downloads } from "../../src/platform/browser/files/downloads.ts";
import type {
  FileContent,
  FileDestination,
  SessionFiles,
} from "../../src/platform/browser/files/session-files.ts";

export class FakeSessionFiles implements SessionFiles {
  readonly files = new Map<string, Uint8Array>();
  /** Thrown instead of storing. */
  failure: Error | undefined;

  async store(place: FileDestination, body: ReadableStream<Uint8Array>): Promise<string> {
    if (this.failure !== undefined) throw this.failure;
    const bytes = await new Response(body).bytes();
    return this.#put(place, bytes);
  }

  async link(path: string, place: FileDestination): Promise<string> {
    const bytes = this.files.get(path);
    if (bytes === undefined) throw new Error(`There is no ${path}`);
    return this.#put(place, bytes);
  }

  async read(path: string): Promise<FileContent | undefined> {
    const bytes = this.files.get(path);
    return bytes && { size: bytes.length, body: new Blob([bytes]).stream() };
  }

  text(path: string): string | undefined {
    const bytes = this.files.get(path);
    return bytes && new TextDecoder().decode(bytes);
  }

  #put({ directory, name, ifTaken }: FileDestination, bytes: Uint8Array): string {
    const isTaken = ifTaken === "number" && this.files.has(`${directory}/${name}`);
    const path = isTaken ? `${directory}/${name} (1)` : `${directory}/${name}`;
    this.files.set(path, bytes);
    return path;
  }
}

/** Downloads for tests that do not check them. */
export function newDownloads(files: SessionFiles = new FakeSessionFiles()): Downloads {
  return new Downloads({
    files,
    beginUse: () => ({ [Symbol.dispose]: () => undefined }),
    onFailure: () => undefined,
  });
}
