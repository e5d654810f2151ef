import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const FOLDER = join(import.meta.dirname, "cases");

const argvSchema = z.tuple([z.string()], z.string());

export interface ContractCase {
  /** Unique. */
  name: string;
  argv: [string, ...string[]];
  /** In addition to the variables of every case. */
  environment: Record<string, string>;
  files: string[];
  /** Programs that not every Linux has. */
  needs: string[];
  /** The required user: the output contains user names, or the case is about permissions root ignores. */
  only: "root" | "user" | undefined;
  /** Compare the presence of error messages instead of their text. */
  looseErrors: boolean;
  /** Compare link counts of files. */
  comparesLinks: boolean;
}

type Traits = Omit<ContractCase, "name" | "argv"> & {
  argv: ContractCase["argv"] | undefined;
  isEachLine: boolean;
  /** Commands at the start of each of these cases. */
  before: string[];
};

export function readCases(): ContractCase[] {
  return readdirSync(FOLDER)
    .sort()
    .flatMap((file) => parseCases(file.replace(/\.sh$/, ""), readFileSync(join(FOLDER, file), "utf8")));
}

/**
 * Parses the cases of one file. A line `#### name` starts a case; directives `#@ …` and the script follow.
 *
 * - `#@ files a b`: prepared files in its directory
 * - `#@ needs a b`: programs without which the case is skipped
 * - `#@ env NAME=value`
 * - `#@ argv ["a", "b"]`: runs without a shell and without a script
 * - `#@ root`, `#@ user`: only as this user
 * - `#@ stderr any`: the text of error messages may differ
 * - `#@ links`: link counts are compared
 * - `#@ each`: each line is a separate script
 * - `#@ before commands`: starts each of these scripts
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
