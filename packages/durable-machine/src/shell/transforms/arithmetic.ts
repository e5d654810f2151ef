import { type Assignment, isNode, mapTree, parseAtOnce, parseWord, type WordPart } from "../just-bash.ts";
import { assign, assignment, simple, statement, substitution, word } from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** What just-bash expands within the braces of arithmetic: `x`, `#x`, `x[…]` and `x:-1`. */
const SUPPORTED_EXPANSION =
  /^(?:\d+|[@*?$!-]|#?[A-Za-z_]\w*(?:\[[@*]\])?|[A-Za-z_]\w*\[[^[\]]*\]|[A-Za-z_]\w*:?[-=?+]\w*)$/;

/**
 * Assigns expansions in arithmetic to variables, and puts these in their place: just-bash runs commands in arithmetic
 * in a shell without the script's variables, and expands only the simplest braces.
 */
export function hoistExpansions<Node extends object>(
  tree: Node,
): { node: Node; assignments: Assignment[] } | undefined {
  const assignments: Assignment[] = [];
  const hoist = (node: object): unknown => {
    // just-bash parses this text again, if there is one.
    if (isNode(node, "ArithmeticExpression")) {
      return { ...node, originalText: undefined, expression: mapTree(node.expression, hoist) };
    }
    const part = hoistedPart(node);
    if (!part) return undefined;
    const name = `${VARIABLES.arithmetic}_${assignments.length}`;
    assignments.push(assignment(name, word(part)));
    return { type: "ArithVariable", name, hasDollarPrefix: false };
  };
  const node = mapTree(tree, hoist);
  return assignments.length === 0 ? undefined : { node, assignments };
}

function hoistedPart(node: object): WordPart | undefined {
  if (isNode(node, "ArithCommandSubst")) {
    const body = parseAtOnce(node.command);
    return body && substitution(body.statements);
  }
  if (!isNode(node, "ArithBracedExpansion") || SUPPORTED_EXPANSION.test(node.content)) return undefined;
  return parseWord(`"\${${node.content}}"`)[0];
}

/** `$((…$(…)…))` as `$(x=$(…); echo $((…x…)))`. */
export function expandHoisted(part: WordPart): WordPart {
  const hoisted = hoistExpansions(part);
  if (!hoisted) return part;
  const echo = simple("echo", [word(hoisted.node)]);
  return substitution([statement(assign(hoisted.assignments)), statement(echo)]);
}
