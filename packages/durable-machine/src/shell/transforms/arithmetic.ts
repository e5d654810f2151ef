import {
  type Assignment,
  isNode,
  mapTree,
  parseAtOnce,
  parseCommand,
  someNode,
  type WordPart,
} from "../just-bash.ts";
import { assignment, simple, statement, substitution, word } from "./ast.ts";
import { VARIABLES } from "./names.ts";

/**
 * Takes out of an arithmetic expression what the interpreter works out otherwise there than elsewhere: substitutions
 * of commands, which it runs in a shell that knows none of the script's variables, and expansions in braces, of which
 * it knows only the simplest.
 */
export function hoistExpansions<Node extends object>(tree: Node): { node: Node; assignments: Assignment[] } {
  const assignments: Assignment[] = [];
  const hoist = (node: object): object | undefined => {
    if (isNode(node, "ArithmeticExpression") && node.originalText !== undefined && needsHoisting(node)) {
      // The text that the expression was parsed from says the same as before.
      const { originalText: _, ...rest } = node;
      return mapTree(rest, hoist);
    }
    const part = hoistedPart(node);
    if (!part) return undefined;
    const name = `${VARIABLES.arithmetic}_${assignments.length}`;
    assignments.push(assignment(name, word(part)));
    return { type: "ArithVariable", name, hasDollarPrefix: false };
  };
  return { node: mapTree(tree, hoist), assignments };
}

/** What stands between the braces of `${x}`, `${#x}`, `${#x[@]}`, `${x[…]}` and `${x:-1}`. */
const SUPPORTED_EXPANSION =
  /^(?:\d+|[@*?$!-]|#?[A-Za-z_]\w*(?:\[[@*]\])?|[A-Za-z_]\w*\[[^[\]]*\]|[A-Za-z_]\w*:?[-=?+]\w*)$/;

/** What a part of an expression is as part of a word; undefined: it stays where it is. */
function hoistedPart(node: object): WordPart | undefined {
  if (isNode(node, "ArithCommandSubst")) {
    const body = parseAtOnce(node.command);
    return body && substitution(body.statements);
  }
  if (!isNode(node, "ArithBracedExpansion") || SUPPORTED_EXPANSION.test(node.content)) return undefined;
  const command = parseCommand(`: "\${${node.content}}"`);
  return command?.type === "SimpleCommand" ? command.args[0]?.parts[0] : undefined;
}

/** Whether there is something in an expression that {@link hoistExpansions} takes out of it. */
export function needsHoisting(tree: unknown): boolean {
  return someNode(tree, (node) => hoistedPart(node) !== undefined);
}

/** `$((…$(…)…))` as `$(…; echo $((…)))`. */
export function expandHoisted(part: WordPart): WordPart {
  const { node, assignments } = hoistExpansions(part);
  const echo = simple("echo", [word(node)]);
  return substitution([statement(simple(null, [], { assignments })), statement(echo)]);
}
