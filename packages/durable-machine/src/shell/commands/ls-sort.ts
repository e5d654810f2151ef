import type { ListedFile } from "./ls-format.ts";
import type { LsRequest } from "./ls-options.ts";

type Comparison = (a: ListedFile, b: ListedFile) => number;

const encoder = new TextEncoder();

/** By the bytes of the names. */
export function compareNames(a: string, b: string): number {
  // Where all is ASCII, characters have the order of their bytes.
  if (/^[\0-\x7f]*$/.test(a) && /^[\0-\x7f]*$/.test(b)) return a < b ? -1 : a > b ? 1 : 0;
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Numbers within names by their value: `a9` before `a10`. */
export function compareVersions(a: string, b: string): number {
  const parts = (name: string) => name.match(/\d+|\D+/g) ?? [];
  const [left, right] = [parts(a), parts(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [one = "", other = ""] = [left[index], right[index]];
    const areNumbers = /^\d/.test(one) && /^\d/.test(other);
    const difference = areNumbers ? Number(one) - Number(other) : compareNames(one, other);
    if (difference !== 0) return difference;
  }
  return left.length - right.length || compareNames(a, b);
}

function extensionOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot);
}

function comparisonBy({ sort, time }: LsRequest): Comparison | undefined {
  switch (sort) {
    case "none":
      return undefined;
    case "time":
      return (a, b) => b.status[time] - a.status[time];
    case "size":
      return (a, b) => b.status.size - a.status.size;
    case "extension":
      return (a, b) => compareNames(extensionOf(a.name), extensionOf(b.name));
    case "version":
      return (a, b) => compareVersions(a.name, b.name);
    case "width":
      return (a, b) => a.name.length - b.name.length;
    case "name":
      return () => 0;
  }
}

/** The files in the order in which they are shown; of equal ones by name. */
export function sortFiles(files: readonly ListedFile[], request: LsRequest): ListedFile[] {
  const compare = comparisonBy(request);
  if (compare === undefined) return [...files];
  const direction = request.reverse ? -1 : 1;
  const rank = ({ status, target }: ListedFile) =>
    request.directoriesFirst && (target?.status ?? status).type === "directory" ? 0 : 1;
  return files.toSorted(
    (a, b) => rank(a) - rank(b) || direction * (compare(a, b) || compareNames(a.name, b.name)),
  );
}
