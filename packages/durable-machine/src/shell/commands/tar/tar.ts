import { FileError } from "../../../file-system/file-error.ts";
import { isDirectory } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import { matchesGlob } from "../glob.ts";
import type { Invocation, MachineCommand } from "../invocation.ts";
import { type ParsedOptions, UsageError } from "../options.ts";
import { ArchiveError, examineArchive, type Member, readMembers } from "./archive-streams.ts";
import { createArchive } from "./create-archive.ts";
import { Extraction } from "./extract-archive.ts";
import { describeMember, isExcluded } from "./members.ts";
import { abort, FAILURE, openInput, readTarRequest, type TarRequest } from "./tar-options.ts";

function abortDecompression(invocation: Invocation, reason: string): never {
  invocation.say(`\ngzip: stdin: ${reason}\n`);
  return abort(invocation, "Child returned status 1");
}

async function* membersOf(invocation: Invocation, request: TarRequest): AsyncGenerator<Member> {
  const { compression, bytes } = await examineArchive(await openInput(invocation, request.archive));
  const isGzip = compression === "gzip";
  if (compression !== undefined && !isGzip)
    abort(invocation, `${compression}: not available on this machine`);
  if (request.gzip && !isGzip) abortDecompression(invocation, "not in gzip format");
  yield* readMembers(invocation, isGzip ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes);
}

/** Whether an operand names a member, or a directory above it. */
function isNamed(memberName: string, operand: string, options: ParsedOptions): boolean {
  const name = memberName.replace(/\/+$/, "");
  const wanted = operand.replace(/\/+$/, "");
  if (name === wanted || name.startsWith(`${wanted}/`)) return true;
  return options.has("wildcards") && matchesGlob(name, wanted);
}

async function readArchive(invocation: Invocation, request: TarRequest): Promise<void> {
  const { mode, directory, options } = request;
  if (mode === "extract" && directory !== undefined && !isDirectory(invocation, directory)) {
    abort(invocation, `${directory}: Cannot open: No such file or directory`);
  }
  const operands = request.operands.map(({ name }) => name);
  const missing = new Set(operands);
  const extraction = new Extraction(invocation, request);
  const toOutput = mode === "extract" && options.has("O");
  const verbosity = toOutput ? 0 : request.verbosity + (mode === "list" ? 1 : 0);
  let hasMembers = false;
  try {
    for await (const member of membersOf(invocation, request)) {
      hasMembers = true;
      await invocation.step(4);
      const { header, read } = member;
      if (isExcluded(header.name, request.excluded)) continue;
      const naming = operands.filter((operand) => isNamed(header.name, operand, options));
      if (operands.length > 0 && naming.length === 0) continue;
      for (const operand of naming) missing.delete(operand);
      const line = verbosity > 1 ? describeMember(header, options.has("numeric-owner")) : header.name;
      if (verbosity > 0) await invocation.print(`${line}\n`);
      if (toOutput)
        for (let piece = await read(); piece.length > 0; piece = await read()) await invocation.write(piece);
      else if (mode === "extract") await extraction.extract(member);
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
    throw new UsageError("Cowardly refusing to create an empty archive", { exitCode: FAILURE });
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
    const request = await readTarRequest(invocation);
    await (request.mode === "create" ? create : readArchive)(invocation, request);
    if (!invocation.hasComplained) return 0;
    return invocation.fail("Exiting with failure status due to previous errors", FAILURE);
  },
};
