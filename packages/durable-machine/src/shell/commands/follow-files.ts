import { FileError } from "../../file-system/file-error.ts";
import { openPath, pieces } from "./byte-source.ts";
import type { Headers } from "./file-headers.ts";
import type { Invocation } from "./invocation.ts";

export interface FollowedFile {
  operand: string;
  /** How much of it is written. */
  offset: number;
}

/** Wakes whoever waits; rung while nobody does, it does not let the next one wait. */
class Bell {
  #waiting = Promise.withResolvers<void>();

  readonly ring = (): void => this.#waiting.resolve();

  async wait(): Promise<void> {
    await this.#waiting.promise;
    this.#waiting = Promise.withResolvers();
  }
}

async function writeNews(invocation: Invocation, file: FollowedFile, headers: Headers): Promise<void> {
  try {
    const source = await openPath(invocation, file.operand);
    const size = source.size ?? 0;
    if (size === file.offset) return;
    if (size < file.offset) {
      invocation.complain(`${file.operand}: file truncated`);
      file.offset = 0;
    }
    await headers.print(file.operand);
    file.offset += await source.skip(file.offset);
    for await (const piece of pieces(source)) {
      file.offset += piece.length;
      await invocation.write(piece);
    }
    await invocation.flush();
  } catch (error) {
    // It may come back, as a log that is rotated does.
    if (!(error instanceof FileError)) throw error;
  }
}

/**
 * Writes what is appended to files.
 *
 * @throws the reason of the abort: it goes on until the process dies or the command's time is up.
 */
export async function follow(
  invocation: Invocation,
  files: FollowedFile[],
  headers: Headers,
): Promise<never> {
  const bell = new Bell();
  const stopWatching = invocation.files.watch(bell.ring);
  const signals = [invocation.environment.signal, invocation.context.signal].filter(
    (signal) => signal !== undefined,
  );
  for (const signal of signals) signal.addEventListener("abort", bell.ring, { once: true });
  try {
    await invocation.flush();
    for (;;) {
      await invocation.step();
      for (const file of files) await writeNews(invocation, file, headers);
      await bell.wait();
    }
  } finally {
    stopWatching();
    for (const signal of signals) signal.removeEventListener("abort", bell.ring);
  }
}
