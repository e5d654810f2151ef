import { FileError } from "../../../file-system/file-error.ts";
import { gunzip } from "../../../gunzip.ts";
import { toLazyStream } from "../../../lazy-stream.ts";
import { fromByteString } from "../../byte-strings.ts";
import { readText } from "../byte-lines.ts";
import { type ByteSource, openOperand } from "../byte-source.ts";
import { isDirectory } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import { matchesGlob } from "../glob.ts";
import type { Invocation, MachineCommand } from "../invocation.ts";
import { type ParsedOptions, UsageError } from "../options.ts";
import { ArchiveError, examineArchive, type Member, readMembers } from "./archive-streams.ts";
import { createArchive } from "./create-archive.ts";
import { Extraction } from "./extract-archive.ts";
import { describeMember, isExcluded } from "./members.ts";

const OPTIONS = [
  "c,create t,list x,extract x,get f,file= C,directory= T,files-from= X,exclude-from= ,exclude= v,verbose",
  "a,auto-compress z,gzip z,gunzip j,bzip2 J,xz Z,compress ,zstd ,no-recursion",
  ",strip-components= ,wildcards m,touch O,to-stdout ,numeric-owner",
  "p,preserve-permissions p,same-permissions ,no-same-permissions o,no-same-owner",
  // These have no effect.
  ",sort= ,format= ,overwrite ,same-owner ,no-wildcards ,warning=",
].join(" ");

/** Programs that the machine does not have, by the options that need them. */
const MISSING_PROGRAMS = Object.entries({ j: "bzip2", J: "xz", Z: "compress", zstd: "zstd" });

const FAILURE = 2;

/** A file to be packed from the directory of `-C`, or a member to be extracted. */
type TarOperand = { name: string; directory: string | undefined };

export interface TarRequest {
  /** The archive; `-` is standard input or output. */
  archive: string;
  gzip: boolean;
  operands: readonly TarOperand[];
  /** Where members are extracted. */
  directory: string | undefined;
  options: ParsedOptions;
  verbosity: number;
  excluded: readonly string[];
  strippedParts: number;
}

function usageError(message: string, hint = false): UsageError {
  return new UsageError(message, { hint, exitCode: FAILURE });
}

function abort(invocation: Invocation, message: string): never {
  invocation.complain(message);
  return invocation.fail("Error is not recoverable: exiting now", FAILURE);
}

function abortDecompression(invocation: Invocation, reason: string): never {
  invocation.say(`\ngzip: stdin: ${reason}\n`);
  return abort(invocation, "Child returned status 1");
}

async function openInput(invocation: Invocation, name: string): Promise<ByteSource> {
  return await openOperand(invocation, name).catch((error: unknown) =>
    abort(invocation, `${name}: Cannot open: ${errorText(error)}`),
  );
}

/** Reads options without a dash, whose values follow in their order: `tar xzf FILE`. */
function withDash([first = "", ...rest]: readonly string[]): string[] {
  if (first === "" || first.startsWith("-")) return [first, ...rest];
  const words = [...first].flatMap((letter) => {
    return [`-${letter}`, ...("fCTX".includes(letter) ? rest.splice(0, 1) : [])];
  });
  return [...words, ...rest];
}

async function readNames(invocation: Invocation, files: readonly string[]): Promise<string[]> {
  let text = "";
  for (const file of files) {
    const source = await openInput(invocation, file);
    text += `${await readText(invocation, source, { held: text.length, exitCode: FAILURE })}\n`;
  }
  const decoded = new TextDecoder().decode(fromByteString(text));
  return decoded.split("\n").filter((line) => line !== "");
}

async function readRequest(invocation: Invocation): Promise<TarRequest> {
  const options = invocation.options(OPTIONS, { args: withDash(invocation.args), keepsOrder: true });
  const modes = ["c", "t", "x"].filter((key) => options.has(key));
  if (modes.length !== 1) {
    throw usageError("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options", true);
  }
  const missing = MISSING_PROGRAMS.find(([key]) => options.has(key));
  if (missing) throw usageError(`${missing[1]}: not available on this machine`);
  const strip = options.value("strip-components") ?? "0";
  if (!/^\d+$/.test(strip)) throw usageError(`${strip}: Invalid number of elements`);
  const operands: TarOperand[] = [];
  let directory: string | undefined;
  for (const { key, value = "" } of options.given) {
    if (key === "C") directory = directory && !value.startsWith("/") ? `${directory}/${value}` : value;
    if (key === "") operands.push({ name: value, directory });
  }
  for (const name of await readNames(invocation, options.values("T"))) operands.push({ name, directory });
  const archive = options.value("f") ?? "-";
  return {
    archive,
    gzip: options.has("z") || (options.has("c") && options.has("a") && /\.t?gz$/.test(archive)),
    operands,
    directory,
    options,
    verbosity: options.given.filter(({ key }) => key === "v").length,
    excluded: [...options.values("exclude"), ...(await readNames(invocation, options.values("X")))],
    strippedParts: Number(strip),
  };
}

/** Unpacked content may be skipped, so its length is not limited, but it is charged in steps. */
async function* unpack(invocation: Invocation, bytes: ReadableStream<Uint8Array>) {
  for await (const chunk of gunzip(bytes, Number.POSITIVE_INFINITY)) {
    await invocation.stepBytes(chunk.length);
    yield chunk;
  }
}

async function* membersOf(invocation: Invocation, request: TarRequest): AsyncGenerator<Member> {
  const { compression, bytes } = await examineArchive(await openInput(invocation, request.archive));
  const isGzip = compression === "gzip";
  if (compression && !isGzip) abort(invocation, `${compression}: not available on this machine`);
  if (request.gzip && !isGzip) abortDecompression(invocation, "not in gzip format");
  yield* readMembers(invocation, isGzip ? toLazyStream(unpack(invocation, bytes)) : bytes);
}

function isNamed(memberName: string, operand: string, options: ParsedOptions): boolean {
  const name = memberName.replace(/(?<!\/)\/+$/, "");
  const wanted = operand.replace(/(?<!\/)\/+$/, "");
  if (name === wanted || name.startsWith(`${wanted}/`)) return true;
  return options.has("wildcards") && matchesGlob(name, wanted);
}

async function readArchive(invocation: Invocation, request: TarRequest): Promise<void> {
  const { directory, options, excluded } = request;
  const isListing = options.has("t");
  if (!isListing && directory !== undefined && !isDirectory(invocation, directory)) {
    abort(invocation, `${directory}: Cannot open: No such file or directory`);
  }
  const operands = request.operands.map(({ name }) => name);
  const missing = new Set(operands);
  const extraction = new Extraction(invocation, request);
  const toOutput = !isListing && options.has("O");
  const verbosity = toOutput ? 0 : request.verbosity + (isListing ? 1 : 0);
  let hasMembers = false;
  try {
    for await (const member of membersOf(invocation, request)) {
      hasMembers = true;
      await invocation.step(4);
      const { header, read } = member;
      const naming = operands.filter((operand) => isNamed(header.name, operand, options));
      if (isExcluded(header.name, excluded) || (operands.length > 0 && naming.length === 0)) continue;
      for (const operand of naming) missing.delete(operand);
      const line = verbosity > 1 ? describeMember(header, options.has("numeric-owner")) : header.name;
      if (verbosity > 0) await invocation.print(`${line}\n`);
      if (toOutput) {
        for (let piece = await read(); piece.length > 0; piece = await read()) await invocation.write(piece);
      } else if (!isListing) await extraction.extract(member);
    }
    for (const name of missing) invocation.complain(`${name}: Not found in archive`);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    if (error.damage === "compression") abortDecompression(invocation, "unexpected end of file");
    if (error.damage === "end" && hasMembers) abort(invocation, "Unexpected EOF in archive");
    invocation.complain(hasMembers ? "Skipping to next header" : "This does not look like a tar archive");
  } finally {
    extraction.finish();
  }
}

async function create(invocation: Invocation, request: TarRequest): Promise<void> {
  if (request.operands.length === 0 && !request.options.has("T")) {
    throw usageError("Cowardly refusing to create an empty archive", true);
  }
  try {
    await createArchive(invocation, request);
  } catch (error) {
    const action = error instanceof FileError && error.code === "ENOSPC" ? "write" : "open";
    abort(invocation, `${request.archive}: Cannot ${action}: ${errorText(error)}`);
  }
}

export const tar: MachineCommand = {
  name: "tar",
  usage: "tar [OPTION...] [FILE]...",
  usageHint: "Try 'tar --help' or 'tar --usage' for more information.",
  usageExitCode: 64,
  async run(invocation) {
    const request = await readRequest(invocation);
    await (request.options.has("c") ? create : readArchive)(invocation, request);
    if (!invocation.hasComplained) return 0;
    return invocation.fail("Exiting with failure status due to previous errors", FAILURE);
  },
};
