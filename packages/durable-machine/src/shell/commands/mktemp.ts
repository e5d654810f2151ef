import { FileError } from "../../file-system/file-error.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { randomBelow } from "./random.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Names that are tried before it is given up. */
const MOST_TRIES = 100;

interface Template {
  /** With the directory. */
  prefix: string;
  length: number;
  suffix: string;
}

/** Splits a template at its last run of X. */
function readTemplate(invocation: Invocation, template: string, suffix: string | undefined): Template {
  if (suffix !== undefined && !template.endsWith("X")) {
    invocation.fail(`with --suffix, template ${quoteWord(template)} must end in X`);
  }
  const [, prefix = "", run = "", end = ""] = /^(.*?)(X+)([^X]*)$/s.exec(template) ?? [];
  const ownSuffix = suffix ?? end;
  if (run.length < 3) invocation.fail(`too few X's in template ${quoteWord(template + (suffix ?? ""))}`);
  if (ownSuffix.includes("/")) {
    invocation.fail(`invalid suffix ${quoteWord(ownSuffix)}, contains directory separator`);
  }
  return { prefix, length: run.length, suffix: ownSuffix };
}

/** In which directory the template stands; undefined: it is a path of its own. */
function chooseDirectory(
  invocation: Invocation,
  options: ParsedOptions,
  hasTemplate: boolean,
): string | undefined {
  const temporary = invocation.context.env.get("TMPDIR") || "/tmp";
  const wish = options.value("p") || options.value("tmpdir");
  if (options.has("t")) return invocation.context.env.get("TMPDIR") || wish || "/tmp";
  if (options.has("p", "tmpdir")) return wish || temporary;
  return hasTemplate ? undefined : temporary;
}

function randomName({ prefix, length, suffix }: Template): string {
  return prefix + Array.from({ length }, () => LETTERS.charAt(randomBelow(LETTERS.length))).join("") + suffix;
}

function make(invocation: Invocation, path: string, kind: "directory" | "file"): void {
  const { files, credentials } = invocation;
  if (files.exists(path, credentials)) throw new FileError("EEXIST", "open", path);
  if (kind === "directory") files.makeDirectory(path, credentials, { mode: 0o700 });
  else files.writeAll(path, new Uint8Array(0), credentials, { mode: 0o600 });
}

export const mktemp: MachineCommand = {
  name: "mktemp",
  usage: "mktemp [OPTION]... [TEMPLATE]",
  async run(invocation) {
    const options = invocation.options([
      "d,directory",
      "u,dry-run",
      "q,quiet",
      ",suffix=",
      "p=",
      ",tmpdir=?",
      "t",
    ]);
    if (options.operands.length > 1) throw new UsageError("too many templates");
    const [given] = options.operands;
    const template = readTemplate(invocation, given ?? "tmp.XXXXXXXXXX", options.value("suffix"));
    const directory = chooseDirectory(invocation, options, given !== undefined);
    if (directory !== undefined && options.has("t") && given?.includes("/")) {
      invocation.fail(`invalid template, ${quoteWord(given)}, contains directory separator`);
    }
    if (directory !== undefined && given?.startsWith("/")) {
      invocation.fail(`invalid template, ${quoteWord(given)}; with --tmpdir, it may not be absolute`);
    }
    const prefix =
      directory === undefined ? template.prefix : `${directory.replace(/\/$/, "")}/${template.prefix}`;
    const kind = options.has("d") ? "directory" : "file";
    for (let left = MOST_TRIES; ; left--) {
      const name = randomName({ ...template, prefix });
      try {
        if (!options.has("u")) make(invocation, invocation.path(name), kind);
        await invocation.print(`${name}\n`);
        return 0;
      } catch (error) {
        if (error instanceof FileError && error.code === "EEXIST" && left > 0) continue;
        if (options.has("q")) return 1;
        const shape = prefix + "X".repeat(template.length) + template.suffix;
        const what = kind === "directory" ? "directory" : "file";
        return invocation.fail(
          `failed to create ${what} via template ${quoteName(shape)}: ${errorText(error)}`,
        );
      }
    }
  },
};
