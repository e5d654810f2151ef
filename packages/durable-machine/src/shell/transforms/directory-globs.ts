import { type CommandNode, parseWord, type StatementNode, type WordNode } from "../just-bash.ts";
import { arrayAssignment, assign, fragment, keepingStatus, word } from "./ast.ts";
import { VARIABLES } from "./names.ts";

function isDirectoryGlob({ parts }: WordNode): boolean {
  const last = parts.at(-1);
  return last?.type === "Literal" && last.value.endsWith("/") && parts.some(({ type }) => type === "Glob");
}

/** Expands patterns of directories before their command: just-bash ignores a final slash, but not `/.`. */
export function hoistDirectoryGlobs(
  command: CommandNode,
): { before: StatementNode[]; command: CommandNode } | undefined {
  const found: StatementNode[] = [];
  const replace = (words: readonly WordNode[]): WordNode[] =>
    words.map((each) => {
      if (!isDirectoryGlob(each)) return each;
      const name = `${VARIABLES.directories}_${found.length}`;
      const dotted = word(...each.parts, { type: "Literal", value: "." });
      found.push(keepingStatus(assign([arrayAssignment(name, [dotted])])));
      return word(...parseWord(`"\${${name}[@]%.}"`));
    });
  let replaced = command;
  if (command.type === "For") replaced = { ...command, words: command.words && replace(command.words) };
  if (command.type === "SimpleCommand") {
    const assignments = command.assignments.map((each) => ({
      ...each,
      array: each.array && replace(each.array),
    }));
    replaced = { ...command, args: replace(command.args), assignments };
  }
  if (found.length === 0) return undefined;
  const before = [...fragment("shopt -u globskipdots"), ...found, ...fragment("shopt -s globskipdots")];
  return { before, command: replaced };
}
