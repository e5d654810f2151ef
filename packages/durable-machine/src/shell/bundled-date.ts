import type { CallFiles } from "./bundled-arguments.ts";
import { type ParsedOptions, parseOptions, UsageError } from "./commands/options.ts";
import { parseDate } from "./commands/parse-date.ts";

const ISO_FORMATS: Record<string, string> = {
  date: "+%F",
  hours: "+%FT%H%:z",
  minutes: "+%FT%H:%M%:z",
  seconds: "+%FT%T%:z",
  ns: "+%FT%T,%N%:z",
};

const RFC_3339_FORMATS: Record<string, string> = {
  date: "+%F",
  seconds: "+%F %T%:z",
  ns: "+%F %T.%N%:z",
};

const PATTERNS = [
  "d,date=",
  "r,reference=",
  "u,utc",
  ",universal",
  "R,rfc-email",
  ",rfc-3339=",
  "I=?",
  ",iso-8601=?",
];

const UTC_ZONES: ReadonlySet<string> = new Set(["", "UTC", "UTC0", "Etc/UTC", "GMT"]);

/** A command line of date as its bundled form takes it, which reads few dates. @throws UsageError, FileError */
export async function mendDate(args: readonly string[], files: CallFiles): Promise<string[]> {
  const options = parseOptions(args, PATTERNS);
  const isUtc = options.has("u", "universal") || UTC_ZONES.has(files.zone);
  const flags = isUtc ? ["-u"] : [];
  if (options.has("R")) flags.push("-R");
  const date = options.value("d");
  const reference = options.value("r");
  if (date !== undefined) flags.push("-d", knownDate(date, isUtc));
  else if (reference !== undefined) flags.push("-d", atSeconds(await files.modifiedAt(reference)));
  const formats = [...formatOf(options), ...options.operands];
  // The bundled date has no zone with a colon.
  return [...flags, ...formats.map((format) => (isUtc ? format.replaceAll("%:z", "+00:00") : format))];
}

/** A date in a form that the bundled date reads: as seconds, where they do not depend on a zone of its own. */
function knownDate(text: string, isUtc: boolean): string {
  const isRelative = !/\d{4}|:|\//.test(text);
  const milliseconds = isUtc || isRelative ? parseDate(text, Date.now()) : undefined;
  return milliseconds === undefined ? text : atSeconds(milliseconds);
}

function atSeconds(milliseconds: number): string {
  return `@${Math.floor(milliseconds / 1000)}`;
}

function formatOf(options: ParsedOptions): string[] {
  for (const key of ["I", "iso-8601"]) {
    if (options.has(key)) return [precision(ISO_FORMATS, options.value(key) ?? "date")];
  }
  const given = options.value("rfc-3339");
  return given === undefined ? [] : [precision(RFC_3339_FORMATS, given)];
}

/** Precisions may be abbreviated. @throws UsageError */
function precision(formats: Record<string, string>, given: string): string {
  const [found] = Object.entries(formats).filter(([name]) => given !== "" && name.startsWith(given));
  if (!found) throw new UsageError(`invalid argument '${given}'`);
  return found[1];
}
