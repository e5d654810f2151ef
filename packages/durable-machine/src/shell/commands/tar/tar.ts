import { FileError } from "../../../file-system/file-error.ts";
import { type ByteSink, openSink, outputSink } from "../byte-sink.ts";
import {
  type ByteSource,
  inputSource,
  openOperand,
  openPath,
  PIECE_LENGTH,
  pieces,
  readFully,
} from "../byte-source.ts";
import { statusOf } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import { GzipError, GzipSink, gunzipped } from "../gzip.ts";
import { CommandExit, type Invocation, type MachineCommand } from "../invocation.ts";
import { UsageError } from "../options.ts";
import { ArchiveWriter } from "./create-archive.ts";
import { MemberDescriber } from "./describe-member.ts";
import { Extraction } from "./extract-archive.ts";
import { isExcluded, MemberSelection } from "./member-names.ts";
import type { TarMember } from "./tar-header.ts";
import { readTarRequest, type TarOperand, type TarRequest } from "./tar-options.ts";
import { TarFormatError, TarReader } from "./tar-reader.ts";

const FAILURE = 2;

/** Of options that there are not. */
const WRONG_USAGE = 64;

/** How compressed archives begin. */
const MAGICS: readonly [name: string, bytes: readonly number[]][] = [
  ["gzip", [0x1f, 0x8b]],
  ["bzip2", [0x42, 0x5a, 0x68]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];

function giveUp(invocation: Invocation, message: string): never {
  invocation.complain(message);
  return invocation.fail("Error is not recoverable: exiting now", FAILURE);
}

/** A source that gives what has been read ahead once more. */
function preceded(head: Uint8Array, source: ByteSource): ByteSource {
  let held = head;
  return {
    ...source,
    read: async (length) => {
      if (held.length === 0) return await source.read(length);
      const piece = held.subarray(0, length);
      held = held.subarray(piece.length);
      return piece;
    },
    skip: async (length) => {
      const taken = Math.min(length, held.length);
      held = held.subarray(taken);
      return taken + (length > taken ? await source.skip(length - taken) : 0);
    },
  };
}

async function openArchive(invocation: Invocation, { archive, gzip }: TarRequest): Promise<ByteSource> {
  const source =
    archive === "-"
      ? inputSource(invocation)
      : await openPath(invocation, archive).catch((error: unknown) =>
          giveUp(invocation, `${archive}: Cannot open: ${errorText(error)}`),
        );
  const head = await readFully(source, 6);
  const whole = preceded(head, source);
  const [compression] = MAGICS.find(([, magic]) => magic.every((byte, index) => head[index] === byte)) ?? [];
  if (compression === "gzip") return gunzipped(whole);
  if (compression !== undefined) giveUp(invocation, `${compression}: not available on this machine`);
  if (!gzip) return whole;
  invocation.say("\ngzip: stdin: not in gzip format\n");
  return giveUp(invocation, "Child returned status 1");
}

async function readNames(invocation: Invocation, operand: string): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of pieces(await openOperand(invocation, operand))) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > invocation.environment.limits.textBytes)
      giveUp(invocation, `${operand}: File too large`);
  }
  return text.split("\n").filter((line) => line !== "");
}

/** What the command line and the files that it names ask for. */
async function readWishes(invocation: Invocation, request: TarRequest): Promise<TarRequest> {
  const { options, directory } = request;
  const operands: TarOperand[] = [...request.operands];
  const excluded = [...request.excluded];
  try {
    for (const file of options.values("T")) {
      for (const name of await readNames(invocation, file)) operands.push({ name, directory });
    }
    for (const file of options.values("X")) excluded.push(...(await readNames(invocation, file)));
  } catch (error) {
    giveUp(invocation, errorText(error));
  }
  return { ...request, operands, excluded };
}

function archiveInode(invocation: Invocation, { archive }: TarRequest): number | undefined {
  return archive === "-" || archive === "/dev/null" ? undefined : statusOf(invocation, archive)?.inode;
}

function openOutput(invocation: Invocation, { archive, gzip }: TarRequest, offset: number): ByteSink {
  try {
    const sink = archive === "-" ? outputSink(invocation) : openSink(invocation, archive, { offset });
    return gzip ? new GzipSink(sink) : sink;
  } catch (error) {
    return giveUp(invocation, `${archive}: Cannot open: ${errorText(error)}`);
  }
}

/** Where the members of an archive end. */
async function findEnd(invocation: Invocation, request: TarRequest): Promise<number> {
  if (request.gzip) giveUp(invocation, "Cannot update compressed archives");
  if (request.archive === "-" || statusOf(invocation, request.archive) === undefined) return 0;
  const reader = new TarReader(await openArchive(invocation, request));
  while ((await reader.next()) !== undefined) await invocation.step();
  return reader.position;
}

async function create(invocation: Invocation, request: TarRequest): Promise<void> {
  if (request.operands.length === 0 && !request.options.has("T")) {
    throw new UsageError("Cowardly refusing to create an empty archive", { exitCode: FAILURE });
  }
  const offset = request.mode === "append" ? await findEnd(invocation, request) : 0;
  const sink = openOutput(invocation, request, offset);
  const ownInode = archiveInode(invocation, request);
  const writer = new ArchiveWriter(invocation, request, { sink, ownInode, offset });
  try {
    for (const operand of request.operands) await writer.add(operand);
    await writer.end();
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    giveUp(invocation, `${request.archive}: Cannot write: ${errorText(error)}`);
  }
}

/** Goes through an archive and does to each member that is asked for what is wanted. */
async function visit(
  invocation: Invocation,
  request: TarRequest,
  { reader, onMember }: { reader: TarReader; onMember: (member: TarMember) => Promise<void> },
): Promise<void> {
  const wishes = request.operands.map(({ name }) => name);
  const selection = new MemberSelection(wishes, request.options.has("wildcards"));
  for (let member = await reader.next(); member !== undefined; member = await reader.next()) {
    await invocation.step(4);
    if (!isExcluded(member.name, request.excluded) && selection.includes(member.name)) await onMember(member);
  }
  for (const wish of selection.missing) invocation.complain(`${wish}: Not found in archive`);
}

async function list(invocation: Invocation, request: TarRequest): Promise<void> {
  const reader = new TarReader(await openArchive(invocation, request));
  const describer = describerFor(request);
  await visit(invocation, request, {
    reader,
    onMember: (member) =>
      invocation.print(`${request.verbosity > 0 ? describer.describe(member) : member.name}\n`),
  });
}

function describerFor({ options }: TarRequest): MemberDescriber {
  return new MemberDescriber({
    numericOwner: options.has("numeric-owner"),
    fullTime: options.has("full-time"),
  });
}

async function extract(invocation: Invocation, request: TarRequest): Promise<void> {
  const reader = new TarReader(await openArchive(invocation, request));
  const { directory, options } = request;
  if (directory !== undefined && statusOf(invocation, directory)?.type !== "directory") {
    giveUp(invocation, `${directory}: Cannot open: No such file or directory`);
  }
  const extraction = new Extraction(invocation, request, reader);
  const describer = describerFor(request);
  const onMember = async (member: TarMember) => {
    const line = request.verbosity > 1 ? describer.describe(member) : member.name;
    if (request.verbosity > 0 && !options.has("O")) await invocation.print(`${line}\n`);
    if (options.has("O")) await pour(invocation, reader);
    else await extraction.extract(member);
  };
  try {
    await visit(invocation, request, { reader, onMember });
  } finally {
    extraction.finish();
  }
}

/** Writes a member's content to standard output. */
async function pour(invocation: Invocation, reader: TarReader): Promise<void> {
  for (;;) {
    const piece = await reader.read(PIECE_LENGTH);
    if (piece.length === 0) return;
    await invocation.write(piece);
  }
}

async function run(invocation: Invocation): Promise<void> {
  const request = await readWishes(invocation, readTarRequest(invocation));
  try {
    if (request.mode === "list") await list(invocation, request);
    else if (request.mode === "extract") await extract(invocation, request);
    else await create(invocation, request);
  } catch (error) {
    if (error instanceof GzipError) {
      invocation.say("\ngzip: stdin: unexpected end of file\n");
      giveUp(invocation, "Child returned status 1");
    }
    if (!(error instanceof TarFormatError)) throw error;
    if (error.isFatal) giveUp(invocation, error.message);
    invocation.complain(error.message);
  }
}

export const tar: MachineCommand = {
  name: "tar",
  usage: "tar [OPTION...] [FILE]...",
  usageHint: "Try 'tar --help' or 'tar --usage' for more information.",
  usageExitCode: WRONG_USAGE,
  async run(invocation) {
    await run(invocation);
    if (!invocation.hasComplained) return;
    invocation.complain("Exiting with failure status due to previous errors");
    throw new CommandExit(FAILURE);
  },
};
