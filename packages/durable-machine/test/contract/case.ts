import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const FOLDER = join(import.meta.dirname, "cases");

const argvSchema = z.tuple([z.string()], z.string());

/** What the machine and a Linux are both told to do. */
export interface ContractCase {
  /** Unlike that of every other case. */
  name: string;
  argv: [string, ...string[]];
  /** Variables beside those that every case has. */
  environment: Record<string, string>;
  /** Names of what is prepared in its directory. */
  files: string[];
  /** Programs that not every Linux has. */
  needs: string[];
  /** By whom alone it makes sense: its output names users, or it is about rights that root ignores. */
  only: "root" | "user" | undefined;
  /** Whether only it matters whether there are messages, since their words are nobody's contract. */
  looseErrors: boolean;
  /** Whether the numbers of the files' names are compared too. */
  comparesLinks: boolean;
}

type Traits = Omit<ContractCase, "name" | "argv"> & {
  argv: ContractCase["argv"] | undefined;
  /** Whether each line is a case of its own. */
  isEachLine: boolean;
  /** What each of them begins with. */
  before: string[];
};

/** The cases of all subjects. */
export function readCases(): ContractCase[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => parseCases(file.replace(/\.sh$/, ""), readFileSync(join(FOLDER, file), "utf8")));
}

/**
 * Cases of one subject: under a line `#### name` the script, before which lines `#@ …` say what it needs.
 *
 * - `#@ files a b`: what is prepared in its directory
 * - `#@ needs a b`: programs without which it is left out
 * - `#@ env NAME=value`
 * - `#@ argv ["a", "b"]`: run without a shell; there is no script then
 * - `#@ root`, `#@ user`: only as such
 * - `#@ stderr any`: its messages may be others
 * - `#@ links`: numbers of links are compared
 * - `#@ each`: each line is a script of its own, which begins with that of `#@ before`, if there is one
 */
function parseCases(subject: string, text: string): ContractCase[] {
  return text
    .split(/^#### /m)
    .slice(1)
    .flatMap((block) => {
      const [title = "", ...lines] = block.trimEnd().split("\n");
      const count = lines.findIndex((line) => !line.startsWith("#@ "));
      const directives = count === -1 ? lines : lines.slice(0, count);
      const scripts = count === -1 ? [] : lines.slice(count);
      return casesOf(`${subject}: ${title}`, readTraits(directives), scripts);
    });
}

function casesOf(
  name: string,
  { argv, isEachLine, before, ...traits }: Traits,
  lines: string[],
): ContractCase[] {
  if (argv !== undefined) return [{ ...traits, name, argv }];
  if (!isEachLine) return [{ ...traits, name, argv: ["bash", "-c", lines.join("\n")] }];
  return lines.map((line) => ({
    ...traits,
    name: `${name}: ${line}`,
    argv: ["bash", "-c", [...before, line].join("; ")],
  }));
}

function readTraits(directives: string[]): Traits {
  const traits: Traits = {
    argv: undefined,
    environment: {},
    files: [],
    needs: [],
    only: undefined,
    looseErrors: false,
    comparesLinks: false,
    isEachLine: false,
    before: [],
  };
  for (const directive of directives) readDirective(directive.slice("#@ ".length), traits);
  return traits;
}

function readDirective(directive: string, traits: Traits): void {
  const [, word = "", rest = ""] = /^(\S+) ?(.*)$/.exec(directive) ?? [];
  switch (word) {
    case "files":
      traits.files.push(...rest.split(" "));
      break;
    case "needs":
      traits.needs.push(...rest.split(" "));
      break;
    case "env": {
      const [variable = "", ...value] = rest.split("=");
      traits.environment[variable] = value.join("=");
      break;
    }
    case "argv":
      traits.argv = argvSchema.parse(JSON.parse(rest));
      break;
    case "root":
    case "user":
      traits.only = word;
      break;
    case "stderr":
      traits.looseErrors = true;
      break;
    case "links":
      traits.comparesLinks = true;
      break;
    case "before":
      traits.before.push(rest);
      break;
    case "each":
      traits.isEachLine = true;
      break;
    default:
      throw new Error(`Unknown directive: ${directive}`);
  }
}
