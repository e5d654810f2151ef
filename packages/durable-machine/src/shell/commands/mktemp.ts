import { FileError } from "../../file-system/file-error.ts";
import { errorText } from "./error-text.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { UsageError } from "./options.ts";
import { quoteName, quoteWord } from "./quoting.ts";
import { randomBytes } from "./random.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

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
    const options = invocation.options("d,directory u,dry-run q,quiet ,suffix= p= ,tmpdir=? t");
    const [given, extra] = options.operands;
    if (extra !== undefined) throw new UsageError("too many templates");
    const name = (given ?? "tmp.XXXXXXXXXX") + (options.value("suffix") ?? "");
    const isInDirectory = given === undefined || options.has("p", "tmpdir", "t");
    const chosen = options.value("p") || options.value("tmpdir") || invocation.context.env.get("TMPDIR");
    const directory = (chosen || "/tmp").replace(/\/$/, "");
    const template = isInDirectory ? `${directory}/${name}` : name;
    const found = /(?<!X)(X+)([^X/]*)$/.exec(template);
    const [, run = "", end = ""] = found ?? [];
    const start = template.slice(0, found?.index);
    if (run.length < 3) invocation.fail(`too few X's in template ${quoteWord(name)}`);

    for (let tries = 1; ; tries++) {
      const random = Array.from(randomBytes(run.length), (byte) => LETTERS[byte % LETTERS.length]).join("");
      const path = start + random + end;
      try {
        if (!options.has("u")) make(invocation, invocation.path(path), options.has("d"));
        await invocation.print(`${path}\n`);
        return 0;
      } catch (error) {
        if (error instanceof FileError && error.code === "EEXIST" && tries < MAX_TRIES) continue;
        if (options.has("q")) return 1;
        const what = `${options.has("d") ? "directory" : "file"} via template ${quoteName(template)}`;
        return invocation.fail(`failed to create ${what}: ${errorText(error)}`);
      }
    }
  },
};
