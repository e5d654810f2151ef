import { createHash } from "node:crypto";
import { fromByteString } from "../byte-strings.ts";
import { readText, splitLines } from "./byte-lines.ts";
import { type ByteSource, forEachSource, openOperand, pieces } from "./byte-source.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import type { ParsedOptions } from "./options.ts";

const ALGORITHMS = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];

async function digest(invocation: Invocation, source: ByteSource, algorithm: string): Promise<string> {
  const hash = createHash(algorithm);
  for await (const piece of pieces(source)) {
    hash.update(piece);
    await invocation.stepBytes(piece.length);
  }
  return hash.digest("hex");
}

/** A name with a newline or a backslash is escaped, and a backslash in front of its line says so. */
function sumLine(sum: string, name: string, mark: string): string {
  const escaped = name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `${escaped === name ? "" : "\\"}${sum} ${mark}${escaped}\n`;
}

/** Checks the files that a list of checksums names. @returns whether all are as listed. */
async function checkList(
  invocation: Invocation,
  source: ByteSource,
  { operand, algorithm, options }: { operand: string; algorithm: string; options: ParsedOptions },
): Promise<boolean> {
  const hexLength = createHash(algorithm).digest("hex").length;
  const pattern = new RegExp(`^(\\\\?)([0-9a-fA-F]{${hexLength}}) [ *](.+?)\\r?$`);
  const counts = { malformed: 0, unreadable: 0, mismatched: 0, matched: 0 };
  const isSilent = options.has("status");
  const say = async (name: string, verdict: string) => {
    if (!isSilent) await invocation.print(`${name}: ${verdict}\n`);
  };
  const text = new TextDecoder().decode(fromByteString(await readText(invocation, source)));
  for (const line of splitLines(text).filter((line) => line !== "" && !line.startsWith("#"))) {
    const [, backslash, sum, listedName] = pattern.exec(line) ?? [];
    if (sum === undefined || listedName === undefined) {
      counts.malformed++;
      continue;
    }
    const name =
      backslash === ""
        ? listedName
        : listedName.replace(/\\([\\n])/g, (_, letter) => (letter === "n" ? "\n" : "\\"));
    const isMissing = !invocation.files.exists(invocation.path(name), invocation.credentials);
    if (isMissing && options.has("ignore-missing")) continue;
    try {
      const found = await digest(invocation, await openOperand(invocation, name), algorithm);
      const isMatch = found === sum.toLowerCase();
      if (isMatch) counts.matched++;
      else counts.mismatched++;
      if (!isMatch || !options.has("quiet")) await say(name, isMatch ? "OK" : "FAILED");
    } catch (error) {
      invocation.complain(`${name}: ${errorText(error)}`);
      counts.unreadable++;
      await say(name, "FAILED open or read");
    }
  }
  const warn = (count: number, one: string, several: string) => {
    if (count > 0 && !isSilent) invocation.warn(`WARNING: ${count} ${count === 1 ? one : several}`);
  };
  const checked = counts.unreadable + counts.mismatched + counts.matched;
  if (checked === 0) {
    const name = operand === "-" ? "'standard input'" : operand;
    const problem = options.has("ignore-missing")
      ? "no file was verified"
      : "no properly formatted checksum lines found";
    invocation.complain(`${name}: ${problem}`);
    return false;
  }
  warn(counts.malformed, "line is improperly formatted", "lines are improperly formatted");
  warn(counts.unreadable, "listed file could not be read", "listed files could not be read");
  warn(counts.mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
  return counts.unreadable + counts.mismatched === 0 && (counts.malformed === 0 || !options.has("strict"));
}

export const checksums: readonly MachineCommand[] = ALGORITHMS.map((algorithm) => ({
  name: `${algorithm}sum`,
  usage: `${algorithm}sum [OPTION]... [FILE]...`,
  async run(invocation) {
    const options = invocation.options([
      "b,binary",
      "c,check",
      "t,text",
      ",ignore-missing",
      ",quiet",
      ",status",
      ",strict",
      "w,warn",
    ]);
    const mark = options.last("b", "t") === "b" ? "*" : " ";
    await forEachSource(invocation, options.operands, async (source, operand) => {
      if (options.has("c")) {
        if (!(await checkList(invocation, source, { operand, algorithm, options })))
          invocation.failSilently();
      } else {
        await invocation.print(sumLine(await digest(invocation, source, algorithm), operand, mark));
      }
    });
  },
}));
