import {
  assign,
  type SimpleCommandNode,
  type StatementNode,
  simple,
  statement,
  type WordNode,
  type WordPart,
} from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** Whether a word is a pattern of directories alone, such as `*` and a slash. */
export function isDirectoryGlob({ parts }: WordNode): boolean {
  const last = parts.at(-1);
  return last?.type === "Literal" && last.value.endsWith("/") && parts.some(({ type }) => type === "Glob");
}

/** Whether a command is given such patterns. */
export function hasDirectoryGlobs({ args, assignments }: SimpleCommandNode): boolean {
  return args.some(isDirectoryGlob) || assignments.some(({ array }) => array?.some(isDirectoryGlob));
}

/**
 * Works out patterns of directories before the command that they are for: the interpreter passes over the slash at a
 * pattern's end, but not over a dot behind it.
 */
export class DirectoryGlobs {
  readonly #found: StatementNode[] = [];

  /** The statements that have to run before what the words are for. */
  get before(): StatementNode[] {
    if (this.#found.length === 0) return [];
    return [skipDots("-u"), ...this.#found, skipDots("-s")];
  }

  /** The same words, of which patterns of directories are what has been found. */
  replace(words: readonly WordNode[]): WordNode[] {
    return words.map((word) => (isDirectoryGlob(word) ? this.#find(word) : word));
  }

  #find(word: WordNode): WordNode {
    const name = `${VARIABLES.directories}_${this.#found.length}`;
    const dotted: WordNode = { ...word, parts: [...word.parts, { type: "Literal", value: "." }] };
    this.#found.push(assign([{ type: "Assignment", name, value: null, append: false, array: [dotted] }]));
    const found: WordPart = {
      type: "ParameterExpansion",
      parameter: `${name}[@]`,
      operation: {
        type: "PatternRemoval",
        pattern: { type: "Word", parts: [{ type: "Literal", value: "." }] },
        side: "suffix",
        greedy: false,
      },
    };
    return { type: "Word", parts: [{ type: "DoubleQuoted", parts: [found] }] };
  }
}

/** Has patterns find the directory itself, or not. */
function skipDots(flag: "-s" | "-u"): StatementNode {
  return statement(simple("shopt", [flag, "globskipdots"]));
}
