import { randomInt } from "node:crypto";
import { FileError } from "../../file-system/file-error.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/** Names that are tried before it is given up. */
const MAX_TRIES = 100;

function make(invocation: Invocation, path: string, isDirectory: boolean): void {
  const { files, credentials } = invocation;
  if (files.exists(path, credentials)) throw new FileError("EEXIST", "open", path);
  if (isDirectory) files.makeDirectory(path, credentials, { mode: 0o700 });
  else files.writeAll(path, new Uint8Array(0), credentials, { mode: 0o600 });
}

export const mktemp: MachineCommand = {
  name: "mktemp",
  usage: "mktemp [OPTION]... [TEMPLATE]",
  async run(invocation) {
    const options = invocation.options("d,directory u,dry-run q,quiet ,suffix= p= ,tmpdir=? t".split(" "));
    const [given, extra] = options.operands;
    if (extra !== undefined) throw new UsageError("too many templates");
    const template = given ?? "tmp.XXXXXXXXXX";
    const suffix = options.value("suffix");
    if (suffix !== undefined && !template.endsWith("X")) {
      invocation.fail(`with --suffix, template ${quoteWord(template)} must end in X`);
    }
    const [, prefix = "", run = "", rest = ""] = /^(.*?)(X+)([^X]*)$/s.exec(template) ?? [];
    const end = suffix ?? rest;
    if (run.length < 3) invocation.fail(`too few X's in template ${quoteWord(template + (suffix ?? ""))}`);

    let start = prefix;
    if (given === undefined || options.has("p", "tmpdir", "t")) {
      if (template.startsWith("/")) {
        invocation.fail(`invalid template, ${quoteWord(template)}; with --tmpdir, it may not be absolute`);
      }
      const wish = options.value("p") || options.value("tmpdir");
      const variable = invocation.context.env.get("TMPDIR");
      const directory = (options.has("t") ? variable || wish : wish || variable) || "/tmp";
      start = `${directory.replace(/\/$/, "")}/${prefix}`;
    }

    for (let tries = 1; ; tries++) {
      const random = Array.from(run, () => LETTERS.charAt(randomInt(LETTERS.length))).join("");
      const name = start + random + end;
      try {
        if (!options.has("u")) make(invocation, invocation.path(name), options.has("d"));
        await invocation.print(`${name}\n`);
        return 0;
      } catch (error) {
        if (error instanceof FileError && error.code === "EEXIST" && tries < MAX_TRIES) continue;
        if (options.has("q")) return 1;
        const what = `${options.has("d") ? "directory" : "file"} via template ${quoteName(start + run + end)}`;
        return invocation.fail(`failed to create ${what}: ${errorText(error)}`);
      }
    }
  },
};
