import { createHash } from "node:crypto";
import { decodeByteString, readText, splitLines } from "./byte-lines.ts";
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

async function checkList(
  invocation: Invocation,
  source: ByteSource,
  { operand, algorithm, options }: { operand: string; algorithm: string; options: ParsedOptions },
): Promise<boolean> {
  const hexLength = createHash(algorithm).digest("hex").length;
  const pattern = new RegExp(`^([0-9a-fA-F]{${hexLength}}) [ *](.+?)\\r?$`);
  const counts = { OK: 0, FAILED: 0, "FAILED open or read": 0, malformed: 0 };
  const isSilent = options.has("status");
  const text = decodeByteString(await readText(invocation, source));
  for (const line of splitLines(text).filter((line) => line !== "" && !line.startsWith("#"))) {
    const [, sum, name] = pattern.exec(line) ?? [];
    if (sum === undefined || name === undefined) {
      counts.malformed++;
      continue;
    }
    const isMissing = !invocation.files.exists(invocation.path(name), invocation.credentials);
    if (isMissing && options.has("ignore-missing")) continue;
    let verdict: keyof typeof counts = "FAILED open or read";
    try {
      const found = await digest(invocation, await openOperand(invocation, name), algorithm);
      verdict = found === sum.toLowerCase() ? "OK" : "FAILED";
    } catch (error) {
      invocation.complain(`${name}: ${errorText(error)}`);
    }
    counts[verdict]++;
    const isQuiet = isSilent || (options.has("quiet") && verdict === "OK");
    if (!isQuiet) await invocation.print(`${name}: ${verdict}\n`);
  }
  const { OK, FAILED, "FAILED open or read": unreadable, malformed } = counts;
  if (OK + FAILED + unreadable === 0) {
    const name = operand === "-" ? "'standard input'" : operand;
    const ignoresMissing = options.has("ignore-missing");
    const problem = ignoresMissing ? "no file was verified" : "no properly formatted checksum lines found";
    invocation.complain(`${name}: ${problem}`);
    return false;
  }
  const warn = (count: number, one: string, several: string) => {
    if (count > 0 && !isSilent) invocation.warn(`WARNING: ${count} ${count === 1 ? one : several}`);
  };
  warn(malformed, "line is improperly formatted", "lines are improperly formatted");
  warn(unreadable, "listed file could not be read", "listed files could not be read");
  warn(FAILED, "computed checksum did NOT match", "computed checksums did NOT match");
  return FAILED + unreadable === 0 && (malformed === 0 || !options.has("strict"));
}

export const checksums: readonly MachineCommand[] = ALGORITHMS.map((algorithm) => ({
  name: `${algorithm}sum`,
  usage: `${algorithm}sum [OPTION]... [FILE]...`,
  async run(invocation) {
    const options = invocation.options(
      "b,binary c,check t,text ,ignore-missing ,quiet ,status ,strict w,warn",
    );
    const mark = options.last("b", "t") === "b" ? "*" : " ";
    await forEachSource(invocation, options.operands, async (source, operand) => {
      if (!options.has("c")) {
        await invocation.print(`${await digest(invocation, source, algorithm)} ${mark}${operand}\n`);
      } else if (!(await checkList(invocation, source, { operand, algorithm, options }))) {
        invocation.hasComplained = true;
      }
    });
  },
}));
