import type { SimpleCommandNode, StatementNode, WordNode } from "../just-bash.ts";
import { arrayAssignment, assign, doubleQuoted, literal, parameter, simple, statement, word } from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** Whether a word is a pattern of directories alone, such as `*` and a slash. */
function isDirectoryGlob({ parts }: WordNode): boolean {
  const last = parts.at(-1);
  return last?.type === "Literal" && last.value.endsWith("/") && parts.some(({ type }) => type === "Glob");
}

export function hasDirectoryGlobs({ args, assignments }: SimpleCommandNode): boolean {
  return args.some(isDirectoryGlob) || assignments.some(({ array }) => array?.some(isDirectoryGlob));
}

/**
 * Works out patterns of directories before the command that they are for: the interpreter ignores the slash at a
 * pattern's end, but not a dot behind it.
 */
export class DirectoryGlobs {
  readonly #found: StatementNode[] = [];

  /** The statements that have to run before what the words are for. */
  get before(): StatementNode[] {
    if (this.#found.length === 0) return [];
    const skipDots = (flag: string) => statement(simple("shopt", [flag, "globskipdots"]));
    return [skipDots("-u"), ...this.#found, skipDots("-s")];
  }

  /** The same words, of which patterns of directories are what has been found. */
  replace(words: readonly WordNode[]): WordNode[] {
    return words.map((each) => (isDirectoryGlob(each) ? this.#find(each) : each));
  }

  #find({ parts }: WordNode): WordNode {
    const name = `${VARIABLES.directories}_${this.#found.length}`;
    const dotted = word(...parts, { type: "Literal", value: "." });
    this.#found.push(assign([arrayAssignment(name, [dotted])]));
    const withoutDots = parameter(`${name}[@]`, {
      type: "PatternRemoval",
      pattern: literal("."),
      side: "suffix",
      greedy: false,
    });
    return word(doubleQuoted(withoutDots));
  }
}
