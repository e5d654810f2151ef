import { gunzip, gzip } from "../common/gzip.ts";
import type { Segment } from "./segments.ts";

type Place = Pick<Segment, "first" | "day">;

export function organizationPrefix(organizationId: string): string {
  return `audit/${organizationId}/`;
}

export function segmentKey(organizationId: string, { day, first }: Place): string {
  return `${organizationPrefix(organizationId)}${day}/${String(first).padStart(12, "0")}.jsonl.gz`;
}

export async function writeSegment(
  files: R2Bucket,
  organizationId: string,
  place: Place,
  lines: string,
): Promise<void> {
  await files.put(segmentKey(organizationId, place), await gzip(lines));
}

/** @returns the entries of a segment as lines of JSON; none when its file is gone or damaged. */
export async function readLines(
  files: R2Bucket,
  organizationId: string,
  segment: Segment,
): Promise<string[]> {
  const text = segment.lines ?? (await readFile(files, segmentKey(organizationId, segment)));
  return text.split("\n").filter((line) => line !== "");
}

async function readFile(files: R2Bucket, key: string): Promise<string> {
  const file = await files.get(key);
  return file === null ? "" : gunzip(new Uint8Array(await file.arrayBuffer())).catch(() => "");
}
