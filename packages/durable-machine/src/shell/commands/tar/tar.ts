import { FileError } from "../../../file-system/file-error.ts";
import { fromByteString } from "../../byte-strings.ts";
import { readText } from "../byte-lines.ts";
import { inputSource, openOperand, openPath } from "../byte-source.ts";
import { isDirectory } from "../destinations.ts";
import { errorText } from "../error-text.ts";
import { matchesGlob } from "../glob.ts";
import { CommandExit, type Invocation, type MachineCommand } from "../invocation.ts";
import { UsageError } from "../options.ts";
import { ArchiveError, examineArchive, type Member, readMembers } from "./archive-streams.ts";
import { createArchive } from "./create-archive.ts";
import { Extraction } from "./extract-archive.ts";
import { describeMember, isExcluded } from "./members.ts";
import { readTarRequest, type TarOperand, type TarRequest } from "./tar-options.ts";

const FAILURE = 2;

/** Of options that there are not. */
const WRONG_USAGE = 64;

function giveUp(invocation: Invocation, message: string): never {
  invocation.complain(message);
  return invocation.fail("Error is not recoverable: exiting now", FAILURE);
}

function giveUpDecompression(invocation: Invocation, reason: string): never {
  invocation.say(`\ngzip: stdin: ${reason}\n`);
  return giveUp(invocation, "Child returned status 1");
}

async function* membersOf(invocation: Invocation, { archive, gzip }: TarRequest): AsyncGenerator<Member> {
  const source =
    archive === "-"
      ? inputSource(invocation)
      : await openPath(invocation, archive).catch((error: unknown) =>
          giveUp(invocation, `${archive}: Cannot open: ${errorText(error)}`),
        );
  const { compression, bytes } = await examineArchive(source);
  if (compression === "gzip")
    return yield* readMembers(invocation, bytes.pipeThrough(new DecompressionStream("gzip")));
  if (compression !== undefined) giveUp(invocation, `${compression}: not available on this machine`);
  if (gzip) giveUpDecompression(invocation, "not in gzip format");
  yield* readMembers(invocation, bytes);
}

/** Finds out which members are asked for: all, or those of some names and what is in directories of these names. */
class Selection {
  readonly #request: TarRequest;
  readonly #wishes: readonly string[];
  readonly #missing: Set<string>;

  constructor(request: TarRequest) {
    this.#request = request;
    this.#wishes = request.operands.map(({ name }) => name);
    this.#missing = new Set(this.#wishes);
  }

  /** What has been asked for in vain. */
  get missing(): ReadonlySet<string> {
    return this.#missing;
  }

  includes(memberName: string): boolean {
    if (isExcluded(memberName, this.#request.excluded)) return false;
    const name = memberName.replace(/\/+$/, "");
    const matching = this.#wishes.filter((wish) => {
      const wanted = wish.replace(/\/+$/, "");
      if (name === wanted || name.startsWith(`${wanted}/`)) return true;
      return this.#request.options.has("wildcards") && matchesGlob(name, wanted);
    });
    for (const wish of matching) this.#missing.delete(wish);
    return this.#wishes.length === 0 || matching.length > 0;
  }
}

/** Lists an archive or extracts it. */
async function readArchive(invocation: Invocation, request: TarRequest): Promise<void> {
  const { mode, directory, options } = request;
  if (mode === "extract" && directory !== undefined && !isDirectory(invocation, directory)) {
    giveUp(invocation, `${directory}: Cannot open: No such file or directory`);
  }
  const selection = new Selection(request);
  const extraction = new Extraction(invocation, request);
  // A listing says as much as an extraction with one more -v.
  const verbosity = request.verbosity + (mode === "list" ? 1 : 0);
  let hasMembers = false;
  try {
    for await (const member of membersOf(invocation, request)) {
      hasMembers = true;
      await invocation.step(4);
      if (!selection.includes(member.header.name)) continue;
      const isPoured = mode === "extract" && options.has("O");
      if (verbosity > 0 && !isPoured) {
        const { name } = member.header;
        const line = verbosity > 1 ? describeMember(member.header, options.has("numeric-owner")) : name;
        await invocation.print(`${line}\n`);
      }
      if (isPoured) await pour(invocation, member);
      else if (mode === "extract") await extraction.extract(member);
    }
    for (const name of selection.missing) invocation.complain(`${name}: Not found in archive`);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    if (error.part === "compression") giveUpDecompression(invocation, "unexpected end of file");
    if (error.part === "end" && hasMembers) giveUp(invocation, "Unexpected EOF in archive");
    invocation.complain(hasMembers ? "Skipping to next header" : "This does not look like a tar archive");
  } finally {
    extraction.finish();
  }
}

/** Writes a member's content to standard output. */
async function pour(invocation: Invocation, { read }: Member): Promise<void> {
  for (let piece = await read(); piece.length > 0; piece = await read()) await invocation.write(piece);
}

/** The request with what the files that it names ask for. */
async function withListedNames(invocation: Invocation, request: TarRequest): Promise<TarRequest> {
  const { options, directory } = request;
  const namesIn = async (files: readonly string[]) => {
    const names: string[] = [];
    for (const file of files) {
      const text = await readText(invocation, await openOperand(invocation, file), { exitCode: FAILURE });
      const decoded = new TextDecoder().decode(fromByteString(text));
      names.push(...decoded.split("\n").filter((line) => line !== ""));
    }
    return names;
  };
  try {
    const listed = (await namesIn(options.values("T"))).map((name): TarOperand => ({ name, directory }));
    const excluded = await namesIn(options.values("X"));
    return {
      ...request,
      operands: [...request.operands, ...listed],
      excluded: [...request.excluded, ...excluded],
    };
  } catch (error) {
    return giveUp(invocation, errorText(error));
  }
}

async function create(invocation: Invocation, request: TarRequest): Promise<void> {
  if (request.operands.length === 0 && !request.options.has("T")) {
    throw new UsageError("Cowardly refusing to create an empty archive", { exitCode: FAILURE });
  }
  try {
    await createArchive(invocation, request);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const isOpening = error.code !== "ENOSPC";
    giveUp(invocation, `${request.archive}: Cannot ${isOpening ? "open" : "write"}: ${errorText(error)}`);
  }
}

export const tar: MachineCommand = {
  name: "tar",
  usage: "tar [OPTION...] [FILE]...",
  usageHint: "Try 'tar --help' or 'tar --usage' for more information.",
  usageExitCode: WRONG_USAGE,
  async run(invocation) {
    const request = await withListedNames(invocation, readTarRequest(invocation));
    await (request.mode === "create" ? create : readArchive)(invocation, request);
    if (!invocation.hasComplained) return;
    invocation.complain("Exiting with failure status due to previous errors");
    throw new CommandExit(FAILURE);
  },
};
