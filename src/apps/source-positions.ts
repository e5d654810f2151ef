import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";

/** As V8 writes a position in the bundle. */
const POSITION = /\bapp\.js:(\d+):(\d+)/g;

/** Frames of what runs the app rather than of the app. Nothing in a line makes it look at the same text twice. */
const RUNNER_FRAME =
  /^\s+at .*\b(?:app-(?:runner|describer)\.js|berth-console|berth-loop-guard):\d+:\d+(?:\)| in \S+)?$/;

/** Code words its own stacks. What is longer than any frame, or comes after so many positions, stays as it is. */
const MAX_LINE_LENGTH = 4096;
const MAX_POSITIONS = 100;

/** Tells a column of the bundle by one of what runs, both from 0; the line, from 1, is the same in both. */
export type ColumnLookup = (line: number, column: number) => number;

/**
 * A text such as a stack, with positions in the bundle as positions in the app's own files.
 *
 * @param sourceMap the bundle's, as JSON.
 * @param toBundleColumn for columns of the text, which are those of what was made of the bundle.
 */
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
        return locate(map, Number(line), bundleColumn) ?? position;
      });
    })
    .join("\n");
}

function locate(map: TraceMap, line: number, column: number): string | undefined {
  const position = originalPositionFor(map, { line, column });
  return position.source === null ? undefined : `${position.source}:${position.line}:${position.column + 1}`;
}
