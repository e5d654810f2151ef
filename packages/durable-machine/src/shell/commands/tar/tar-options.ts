import { fromByteString } from "../../byte-strings.ts";
import { readText } from "../byte-lines.ts";
import { type ByteSource, openOperand } from "../byte-source.ts";
import { errorText } from "../error-text.ts";
import type { Invocation } from "../invocation.ts";
import { type ParsedOptions, UsageError } from "../options.ts";

export const FAILURE = 2;

/** Programs that the machine does not have, by the options that need them. */
const MISSING_PROGRAMS = Object.entries({ j: "bzip2", J: "xz", Z: "compress", zstd: "zstd" });

const OPTIONS = [
  "c,create t,list x,extract x,get f,file= C,directory= T,files-from= X,exclude-from= ,exclude= v,verbose",
  "a,auto-compress z,gzip z,gunzip j,bzip2 J,xz Z,compress ,zstd h,dereference ,no-recursion",
  "k,keep-old-files ,skip-old-files ,strip-components= ,wildcards m,touch O,to-stdout ,numeric-owner",
  "p,preserve-permissions p,same-permissions ,no-same-permissions o,no-same-owner",
  // These have no effect.
  ",sort= ,format= ,overwrite ,same-owner ,no-wildcards ,warning=",
].join(" ");

const MODES = { c: "create", x: "extract", t: "list" } as const;

/** A file to be packed, or a member to be extracted. */
interface TarOperand {
  name: string;
  /** The directory of `-C`. */
  directory: string | undefined;
}

export interface TarRequest {
  mode: "create" | "extract" | "list";
  /** The archive; `-` is standard input or output. */
  archive: string;
  gzip: boolean;
  operands: readonly TarOperand[];
  /** Where members are extracted. */
  directory: string | undefined;
  options: ParsedOptions;
  verbosity: number;
  /** Patterns of names. */
  excluded: readonly string[];
  strippedParts: number;
}

export function abort(invocation: Invocation, message: string): never {
  invocation.complain(message);
  return invocation.fail("Error is not recoverable: exiting now", FAILURE);
}

export async function openInput(invocation: Invocation, name: string): Promise<ByteSource> {
  return await openOperand(invocation, name).catch((error: unknown) =>
    abort(invocation, `${name}: Cannot open: ${errorText(error)}`),
  );
}

function usageError(message: string, hint = false): UsageError {
  return new UsageError(message, { hint, exitCode: FAILURE });
}

/** Reads options without a dash, whose values follow in their order: `tar xzf FILE`. */
function withDash([first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return [];
  if (first.startsWith("-")) return [first, ...rest];
  const words = [...first].flatMap((letter) => [
    `-${letter}`,
    ...("fCTX".includes(letter) ? rest.splice(0, 1) : []),
  ]);
  return [...words, ...rest];
}

function readMode(options: ParsedOptions): TarRequest["mode"] {
  const [mode, other] = (["c", "x", "t"] as const).filter((key) => options.has(key));
  if (other !== undefined) {
    throw usageError(
      "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option",
      true,
    );
  }
  if (mode !== undefined) return MODES[mode];
  throw usageError("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options", true);
}

/** The lines of files. */
async function readNames(invocation: Invocation, files: readonly string[]): Promise<string[]> {
  let text = "";
  for (const file of files) {
    const source = await openInput(invocation, file);
    text += `${await readText(invocation, source, { held: text.length, exitCode: FAILURE })}\n`;
  }
  const decoded = new TextDecoder().decode(fromByteString(text));
  return decoded.split("\n").filter((line) => line !== "");
}

/** @throws UsageError */
export async function readTarRequest(invocation: Invocation): Promise<TarRequest> {
  const options = invocation.options(OPTIONS, { args: withDash(invocation.args), keepsOrder: true });
  const mode = readMode(options);
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
    mode,
    archive,
    gzip: options.has("z") || (mode === "create" && options.has("a") && /\.t?gz$/.test(archive)),
    operands,
    directory,
    options,
    verbosity: options.given.filter(({ key }) => key === "v").length,
    excluded: [...options.values("exclude"), ...(await readNames(invocation, options.values("X")))],
    strippedParts: Number(strip),
  };
}
