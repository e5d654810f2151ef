import { type CopyStyle, TreeCopy } from "./copy-tree.ts";
import {
  directoryName,
  join,
  type Placement,
  readPlacements,
  statusOf,
  withoutRepeated,
} from "./destinations.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

const OPTIONS = [
  "a,archive",
  "d",
  "f,force",
  "H",
  "i,interactive",
  "l,link",
  "L,dereference",
  "n,no-clobber",
  "P,no-dereference",
  "p",
  ",preserve=?",
  ",no-preserve=",
  ",parents",
  "R,recursive",
  "r",
  ",remove-destination",
  ",reflink=?",
  ",sparse=",
  ",strip-trailing-slashes",
  "s,symbolic-link",
  "t,target-directory=",
  "T,no-target-directory",
  "u,update",
  "v,verbose",
  "x,one-file-system",
];

const ATTRIBUTES = ["mode", "timestamps", "ownership", "links", "context", "xattr", "all"];

/** What `-p`, `-a` and `--preserve` keep, less what `--no-preserve` names. */
function preservedAttributes(options: ParsedOptions): Set<string> {
  const preserved = new Set<string>();
  const add = (names: readonly string[]) => {
    for (const name of names) {
      if (!ATTRIBUTES.includes(name)) {
        const valid = ATTRIBUTES.map((each) => `\n  - '${each}'`).join("");
        const where = `for ${quoteWord("--preserve")}`;
        throw new UsageError(`invalid argument ${quoteWord(name)} ${where}\nValid arguments are:${valid}`);
      }
      for (const one of name === "all" ? ATTRIBUTES : [name]) preserved.add(one);
    }
  };
  for (const { key, value } of options.given) {
    if (key === "a") add(["all"]);
    if (key === "d") add(["links"]);
    if (key === "p") add(["mode", "ownership", "timestamps"]);
    if (key === "preserve") add(value?.split(",") ?? ["mode", "ownership", "timestamps"]);
    if (key === "no-preserve") for (const name of value?.split(",") ?? []) preserved.delete(name);
  }
  return preserved;
}

function chooseFollowing(options: ParsedOptions, recursive: boolean): CopyStyle["follows"] {
  const wish = options.last("L", "H", "P", "d", "a");
  if (wish === "L") return "all";
  if (wish === "H") return "operands";
  return wish === undefined && !recursive && !options.has("l") ? "all" : "none";
}

export function readCopyStyle(options: ParsedOptions): CopyStyle {
  const preserved = preservedAttributes(options);
  const recursive = options.has("r", "R", "a");
  const existing = options.last("n", "i", "f");
  return {
    recursive,
    follows: chooseFollowing(options, recursive),
    existing: options.has("n") ? "keep" : existing === "i" ? "ask" : "overwrite",
    onlyNewer: options.has("u"),
    force: options.has("f"),
    removesDestination: options.has("remove-destination"),
    preservesMode: preserved.has("mode"),
    preservesOwner: preserved.has("ownership"),
    preservesTimes: preserved.has("timestamps"),
    preservesLinks: preserved.has("links"),
    links: options.has("l") ? "hard" : options.has("s") ? "symbolic" : undefined,
    verbose: options.has("v"),
  };
}

/** With `--parents` a source's whole path is made below the directory. */
function withParents(invocation: Invocation, options: ParsedOptions): Placement[] {
  const directory = options.value("t") ?? options.operands.at(-1) ?? ".";
  const sources = options.has("t") ? options.operands : options.operands.slice(0, -1);
  if (statusOf(invocation, directory)?.type !== "directory") {
    throw new UsageError("with --parents, the destination must be a directory");
  }
  return sources.map((source) => {
    const destination = join(directory, source.replace(/^\/+/, ""));
    invocation.files.makeDirectory(invocation.path(directoryName(destination)), invocation.credentials, {
      parents: true,
    });
    return { source, destination };
  });
}

export const cp: MachineCommand = {
  name: "cp",
  usage: "cp [OPTION]... SOURCE... DIRECTORY",
  async run(invocation) {
    const options = invocation.options(OPTIONS);
    const copy = new TreeCopy(invocation, readCopyStyle(options));
    const placements = options.has("parents")
      ? withParents(invocation, options)
      : readPlacements(invocation, options);
    for (const { source, destination } of withoutRepeated(invocation, placements)) {
      await copy.copy(source, destination);
    }
  },
};
