import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";

const POSITION = /\bapp\.js:(\d+):(\d+)/g;

/** Matches in linear time. */
const RUNNER_FRAME =
  /^\s+at .*\b(?:app-(?:runner|describer)\.js|berth-console|berth-loop-guard):\d+:\d+(?:\)| in \S+)?$/;

/** An app can forge its stacks, so the work is limited. */
const MAX_LINE_LENGTH = 4096;
const MAX_POSITIONS = 100;

/** Translates a column, counted from 0, of a line, counted from 1. */
export type ColumnLookup = (line: number, column: number) => number;

/** Replaces positions in the bundle with positions in the app's files. @param sourceMap as JSON. */
export function toSourcePositions(text: string, sourceMap: string, toBundleColumn: ColumnLookup): string {
  const map = new TraceMap(sourceMap);
  let positions = 0;
  return text
    .split("\n")
    .filter((text) => text.length > MAX_LINE_LENGTH || !RUNNER_FRAME.test(text))
    .map((text) => {
      if (text.length > MAX_LINE_LENGTH) return text;
      return text.replaceAll(POSITION, (position, line, column) => {
        positions += 1;
        if (positions > MAX_POSITIONS) return position;
        const bundleColumn = toBundleColumn(Number(line), Number(column) - 1);
        return toSourcePosition(map, Number(line), bundleColumn) ?? position;
      });
    })
    .join("\n");
}

function toSourcePosition(map: TraceMap, line: number, column: number): string | undefined {
  const position = originalPositionFor(map, { line, column });
  return position.source === null ? undefined : `${position.source}:${position.line}:${position.column + 1}`;
}
