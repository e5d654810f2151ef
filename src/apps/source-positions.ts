import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";

/** As V8 writes a position in the bundle. */
const POSITION = /\bapp\.js:(\d+):(\d+)/g;

/** Frames of what runs the app rather than of the app. */
const RUNNER_FRAME = /^\s+at .*\b(?:app-runner\.js|berth-[\w-]+):\d+:\d+(?:\)| in \S+)?$/;

/**
 * A text such as a stack, with positions in the bundle as positions in the app's own files.
 *
 * @param sourceMap the bundle's, as JSON.
 */
export function toSourcePositions(text: string, sourceMap: string): string {
  const map = new TraceMap(sourceMap);
  return text
    .split("\n")
    .filter((line) => !RUNNER_FRAME.test(line))
    .map((line) => line.replaceAll(POSITION, (position, ...numbers) => locate(map, numbers) ?? position))
    .join("\n");
}

function locate(map: TraceMap, [line, column]: string[]): string | undefined {
  const position = originalPositionFor(map, { line: Number(line), column: Number(column) - 1 });
  return position.source === null ? undefined : `${position.source}:${position.line}:${position.column + 1}`;
}
