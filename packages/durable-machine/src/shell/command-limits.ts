/**
 * What the bundled text tools are given at once. They hold their input whole, and work through it without a pause, in
 * which nobody else on the isolate gets a turn.
 *
 * The figures are milliseconds for 1 MiB of lines of 37 bytes, on a machine that other work was busy on too; the
 * limits keep each run at about a tenth of a second, or at half a second for the tools of which scripts expect more.
 */
export interface CommandLimit {
  /** The most bytes of input: of all its files together, or of each for a tool that works through them one by one. */
  bytes: number;
  isPerFile?: boolean;
}

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

function limitOf(names: string, limit: CommandLimit): [string, CommandLimit][] {
  return names.split(" ").map((name) => [name, limit]);
}

export const COMMAND_LIMITS: ReadonlyMap<string, CommandLimit> = new Map([
  // 75 ms and 3 µs for each statement that it runs, which have a limit of their own.
  ...limitOf("awk", { bytes: 512 * KIBIBYTE }),
  // 200 ms to 600 ms.
  ...limitOf("base64 column comm expand fold join jq nl rev strings unexpand", { bytes: MEBIBYTE }),
  // 700 ms to 2,300 ms, by pattern.
  ...limitOf("egrep fgrep grep", { bytes: 192 * KIBIBYTE, isPerFile: true }),
  ...limitOf("rg", { bytes: MEBIBYTE, isPerFile: true }),
  // 1,100 ms to 2,000 ms for a substitution in each line.
  ...limitOf("sed", { bytes: 192 * KIBIBYTE }),
  ...limitOf("split", { bytes: 4 * MEBIBYTE }),
]);

/** Statements that a tool with a language of its own runs without a pause; 3 to 8 µs each. */
export const MAX_STATEMENTS = 100_000;

/** How long such a tool computes without a pause, in milliseconds; where the clock stands still, statements count. */
export const MAX_COMPUTATION_MS = 500;
