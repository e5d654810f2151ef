import { createHash } from "node:crypto";
import { openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

interface ChecksumKind {
  command: string;
  algorithm: string;
  /** Its name in lines of BSD's form. */
  tag: string;
  hexLength: number;
}

const KINDS: readonly ChecksumKind[] = [
  { command: "md5sum", algorithm: "md5", tag: "MD5", hexLength: 32 },
  { command: "sha1sum", algorithm: "sha1", tag: "SHA1", hexLength: 40 },
  { command: "sha256sum", algorithm: "sha256", tag: "SHA256", hexLength: 64 },
  { command: "sha384sum", algorithm: "sha384", tag: "SHA384", hexLength: 96 },
  { command: "sha512sum", algorithm: "sha512", tag: "SHA512", hexLength: 128 },
];

async function digest(invocation: Invocation, operand: string, kind: ChecksumKind): Promise<string> {
  const source = await openOperand(invocation, operand);
  const hash = createHash(kind.algorithm);
  for await (const piece of pieces(source)) {
    hash.update(piece);
    await invocation.stepBytes(piece.length);
  }
  return hash.digest("hex");
}

/** A name that would break its line is written with escapes, which a backslash at the line's beginning tells. */
function escapeName(name: string): { prefix: string; escaped: string } {
  const escaped = name.replace(/[\\\n\r]/g, (character) =>
    character === "\\" ? "\\\\" : character === "\n" ? "\\n" : "\\r",
  );
  return { prefix: escaped === name ? "" : "\\", escaped };
}

function unescapeName(name: string): string {
  return name.replace(/\\([\\nr])/g, (_, letter: string) =>
    letter === "\\" ? "\\" : letter === "n" ? "\n" : "\r",
  );
}

interface CheckedLine {
  name: string;
  sum: string;
}

/** A line of a list of checksums; undefined: it is none. */
export function readCheckedLine(
  line: string,
  kind: Pick<ChecksumKind, "tag" | "hexLength">,
): CheckedLine | undefined {
  const escaped = line.startsWith("\\");
  const text = escaped ? line.slice(1) : line;
  const hex = `([0-9a-fA-F]{${kind.hexLength}})`;
  const [, sum, name] = new RegExp(`^[ \\t]*${hex} [ *](.+)$`).exec(text) ?? [];
  const [, taggedName, taggedSum] = new RegExp(`^${kind.tag} \\((.+)\\) = ${hex}$`).exec(text) ?? [];
  const foundName = name ?? taggedName;
  const foundSum = sum ?? taggedSum;
  if (foundName === undefined || foundSum === undefined) return undefined;
  return { name: escaped ? unescapeName(foundName) : foundName, sum: foundSum.toLowerCase() };
}

async function readText(invocation: Invocation, operand: string): Promise<string> {
  const source = await openOperand(invocation, operand);
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces(source)) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > invocation.environment.limits.textBytes) invocation.fail(`${operand}: File too large`);
  }
  return text + decoder.decode();
}

class CheckReport {
  malformed = 0;
  unreadable = 0;
  mismatched = 0;
  matched = 0;

  get checked(): number {
    return this.unreadable + this.mismatched + this.matched;
  }

  /** Whether all was as listed. */
  isGood(strict: boolean): boolean {
    return this.unreadable === 0 && this.mismatched === 0 && (!strict || this.malformed === 0);
  }
}

function plural(count: number, one: string, several: string): string {
  return `WARNING: ${count} ${count === 1 ? one : several}`;
}

function complainOfReport(invocation: Invocation, report: CheckReport): void {
  if (report.malformed > 0) {
    invocation.complain(
      plural(report.malformed, "line is improperly formatted", "lines are improperly formatted"),
    );
  }
  if (report.unreadable > 0) {
    invocation.complain(
      plural(report.unreadable, "listed file could not be read", "listed files could not be read"),
    );
  }
  if (report.mismatched > 0) {
    invocation.complain(
      plural(report.mismatched, "computed checksum did NOT match", "computed checksums did NOT match"),
    );
  }
}

/** Checks the files that a list names. @returns whether all was as listed. */
async function checkList(
  invocation: Invocation,
  { operand, kind, options }: { operand: string; kind: ChecksumKind; options: ParsedOptions },
): Promise<boolean> {
  const report = new CheckReport();
  const silent = options.has("status");
  const ignoresMissing = options.has("ignore-missing");
  const say = async (name: string, verdict: string, wanted: boolean) => {
    const { prefix, escaped } = name.includes("\n") ? escapeName(name) : { prefix: "", escaped: name };
    if (wanted && !silent) await invocation.print(`${prefix}${escaped}: ${verdict}\n`);
  };
  const listName = operand === "-" ? "'standard input'" : operand;
  let named = 0;
  for (const line of (await readText(invocation, operand)).split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const listed = readCheckedLine(line.replace(/\r$/, ""), kind);
    if (listed === undefined) {
      report.malformed++;
      continue;
    }
    named++;
    if (ignoresMissing && !invocation.files.exists(invocation.path(listed.name), invocation.credentials))
      continue;
    try {
      const matches = (await digest(invocation, listed.name, kind)) === listed.sum;
      if (matches) report.matched++;
      else report.mismatched++;
      await say(listed.name, matches ? "OK" : "FAILED", !matches || !options.has("quiet"));
    } catch (error) {
      invocation.complain(`${listed.name}: ${errorText(error)}`);
      report.unreadable++;
      await say(listed.name, "FAILED open or read", true);
    }
  }
  if (named === 0) {
    invocation.complain(`${listName}: no properly formatted checksum lines found`);
    return false;
  }
  if (!silent) complainOfReport(invocation, report);
  if (ignoresMissing && report.checked === 0) {
    if (!silent) invocation.complain(`${listName}: no file was verified`);
    return false;
  }
  return report.isGood(options.has("strict"));
}

async function printSum(
  invocation: Invocation,
  { operand, kind, options }: { operand: string; kind: ChecksumKind; options: ParsedOptions },
): Promise<void> {
  const sum = await digest(invocation, operand, kind);
  const isNullEnded = options.has("z");
  const { prefix, escaped } = isNullEnded ? { prefix: "", escaped: operand } : escapeName(operand);
  const line = options.has("tag")
    ? `${prefix}${kind.tag} (${escaped}) = ${sum}`
    : `${prefix}${sum} ${options.last("b", "t") === "b" ? "*" : " "}${escaped}`;
  await invocation.print(line + (isNullEnded ? "\0" : "\n"));
}

/** Options that mean something only where a list is checked. */
const CHECK_OPTIONS = ["ignore-missing", "quiet", "status", "strict", "w"];

function checksumCommand(kind: ChecksumKind): MachineCommand {
  return {
    name: kind.command,
    usage: `${kind.command} [OPTION]... [FILE]...`,
    async run(invocation) {
      const options = invocation.options([
        "b,binary",
        "c,check",
        ",tag",
        "t,text",
        "z,zero",
        ",ignore-missing",
        ",quiet",
        ",status",
        ",strict",
        "w,warn",
      ]);
      const isCheck = options.has("c");
      const misplaced = CHECK_OPTIONS.find((key) => !isCheck && options.has(key));
      if (misplaced !== undefined) {
        const name = misplaced === "w" ? "warn" : misplaced;
        throw new UsageError(`the --${name} option is meaningful only when verifying checksums`);
      }
      let good = true;
      for (const operand of options.operands.length === 0 ? ["-"] : options.operands) {
        try {
          if (isCheck) good = (await checkList(invocation, { operand, kind, options })) && good;
          else await printSum(invocation, { operand, kind, options });
        } catch (error) {
          invocation.complain(`${operand}: ${errorText(error)}`);
          good = false;
        }
      }
      return good ? 0 : 1;
    },
  };
}

export const checksums: readonly MachineCommand[] = KINDS.map(checksumCommand);
