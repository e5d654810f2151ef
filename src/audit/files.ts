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

/** @returns the entries of a segment as lines of JSON; none when its file is gone. */
export async function readLines(
  files: R2Bucket,
  organizationId: string,
  segment: Segment,
): Promise<string[]> {
  const file = segment.lines === null ? await files.get(segmentKey(organizationId, segment)) : null;
  const text = file === null ? (segment.lines ?? "") : await gunzip(new Uint8Array(await file.arrayBuffer()));
  return text.split("\n").filter((line) => line !== "");
}
