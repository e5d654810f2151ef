const MEBIBYTE = 1024 * 1024;

/** An isolate of 128 MB holds both as bytes, text and JSON, beside esbuild and the app's files. */
const MAX_BUNDLE_BYTES = 6 * MEBIBYTE;
const MAX_SOURCE_MAP_BYTES = 12 * MEBIBYTE;

export function findSizeProblems({ code, sourceMap }: { code: number; sourceMap: number }): string[] {
  return [
    ...describe("The bundle", code, MAX_BUNDLE_BYTES),
    ...describe("The source map", sourceMap, MAX_SOURCE_MAP_BYTES),
  ];
}

function describe(what: string, size: number, maxBytes: number): string[] {
  if (size <= maxBytes) return [];
  return [`${what} has ${(size / MEBIBYTE).toFixed(2)} MiB, and the limit is ${maxBytes / MEBIBYTE} MiB`];
}
