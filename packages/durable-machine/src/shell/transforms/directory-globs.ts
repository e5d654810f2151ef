import { type CommandNode, parseWord, type StatementNode, type WordNode } from "../just-bash.ts";
import { arrayAssignment, assign, fragment, keepingStatus, word } from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** Whether a word is a pattern of directories alone, such as `*` and a slash. */
function isDirectoryGlob({ parts }: WordNode): boolean {
  const last = parts.at(-1);
  return last?.type === "Literal" && last.value.endsWith("/") && parts.some(({ type }) => type === "Glob");
}

export function hasDirectoryGlobs(command: CommandNode): boolean {
  if (command.type === "For") return command.words?.some(isDirectoryGlob) ?? false;
  if (command.type !== "SimpleCommand") return false;
  const arrays = command.assignments.map(({ array }) => array ?? []);
  return [command.args, ...arrays].some((words) => words.some(isDirectoryGlob));
}

/**
 * Expands patterns of directories before the command that they belong to: just-bash ignores the slash at a pattern's
 * end, but not a dot behind it.
 */
export class DirectoryGlobs {
  readonly #found: StatementNode[] = [];

  /** The statements that have to run before the command. */
  get before(): StatementNode[] {
    return [...fragment("shopt -u globskipdots"), ...this.#found, ...fragment("shopt -s globskipdots")];
  }

  replace(command: CommandNode): CommandNode {
    if (command.type === "For") return { ...command, words: command.words && this.#words(command.words) };
    if (command.type !== "SimpleCommand") return command;
    const assignments = command.assignments.map((each) => ({
      ...each,
      array: each.array && this.#words(each.array),
    }));
    return { ...command, args: this.#words(command.args), assignments };
  }

  #words(words: readonly WordNode[]): WordNode[] {
    return words.map((each) => (isDirectoryGlob(each) ? this.#find(each) : each));
  }

  #find({ parts }: WordNode): WordNode {
    const name = `${VARIABLES.directories}_${this.#found.length}`;
    const dotted = word(...parts, { type: "Literal", value: "." });
    this.#found.push(keepingStatus(assign([arrayAssignment(name, [dotted])])));
    return word(...parseWord(`"\${${name}[@]%.}"`));
  }
}
