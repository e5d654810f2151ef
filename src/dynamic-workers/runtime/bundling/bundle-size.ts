const MEBIBYTE = 1024 * 1024;

/**
 * In bytes. A bundle is loaded at each run, and while it is made its isolate of 128 MB holds it and its source map as
 * bytes, as text and as JSON, beside esbuild and the app's files.
 */
const MAX_BUNDLE = 6 * MEBIBYTE;
const MAX_SOURCE_MAP = 12 * MEBIBYTE;

/** What is wrong with the sizes, in bytes, of a bundle and of its source map. */
export function findTooLarge({ code, sourceMap }: { code: number; sourceMap: number }): string[] {
  return [
    ...describe("The app as one module", code, MAX_BUNDLE),
    ...describe("The source map of the app", sourceMap, MAX_SOURCE_MAP),
  ];
}

function describe(what: string, size: number, largest: number): string[] {
  if (size <= largest) return [];
  return [`${what} has ${(size / MEBIBYTE).toFixed(2)} MiB, and may have ${largest / MEBIBYTE} MiB`];
}
