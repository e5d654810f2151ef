import {
  type CommandNode,
  type Expansion,
  isNode,
  mapTree,
  parseWord,
  type StatementNode,
} from "../just-bash.ts";
import { assign, assignment, keepingStatus, word } from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** just-bash supports no expansions in an index other than `$a` and `${a}`. */
const UNSUPPORTED = /\$\{(?!\w+\})|\$\((?!\()/;

/** Assigns indices, such as the one in `${a[${b,,}]}`, to variables before the command they belong to. */
export function hoistIndices(
  command: CommandNode,
): { before: StatementNode[]; command: CommandNode } | undefined {
  const before: StatementNode[] = [];
  const hoist = (node: object): unknown => {
    // The commands inside them are transformed separately.
    if (isNode(node, "CommandSubstitution") || isNode(node, "ProcessSubstitution")) return node;
    if (!isNode(node, "ParameterExpansion")) return undefined;
    const [, array, index] = /^(\w+)\[(.*)\]$/s.exec(node.parameter) ?? [];
    if (index === undefined || !UNSUPPORTED.test(index)) return undefined;
    const value = mapTree(word(...parseWord(index.includes('"') ? index : `"${index}"`)), hoist);
    const name = `${VARIABLES.index}_${before.length}`;
    before.push(keepingStatus(assign([assignment(name, value)])));
    const operation: Expansion["operation"] = mapTree(node.operation, hoist);
    return { ...node, parameter: `${array}[$${name}]`, operation };
  };
  const hoisted = withWords(command, (words) => mapTree(words, hoist));
  return before.length === 0 ? undefined : { before, command: hoisted };
}

function withWords(command: CommandNode, replace: <Words>(words: Words) => Words): CommandNode {
  switch (command.type) {
    case "SimpleCommand":
    case "ConditionalCommand":
      return replace(command);
    case "For":
      return { ...command, words: replace(command.words) };
    case "Case":
      return { ...command, word: replace(command.word) };
    default:
      return command;
  }
}
