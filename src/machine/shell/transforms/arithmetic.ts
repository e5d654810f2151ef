import { tryParseScript } from "../script-parser.ts";
import { type Assignment, assignment, type ScriptNode, simple, statement, type WordPart } from "./ast.ts";
import { VARIABLES } from "./names.ts";

type Expansion = Extract<WordPart, { type: "ArithmeticExpansion" }>;

/** An arithmetic expression without substitutions of commands, and the assignments that hold what they give. */
interface Hoisted<Node> {
  node: Node;
  assignments: Assignment[];
}

/**
 * Takes the substitutions of commands out of an arithmetic expression. The interpreter runs them in a shell that knows
 * none of the script's variables.
 */
export function hoistSubstitutions<Node>(node: Node): Hoisted<Node> {
  const assignments: Assignment[] = [];
  return { node: hoist(node, assignments) as Node, assignments };
}

function hoist(node: unknown, assignments: Assignment[]): unknown {
  if (Array.isArray(node)) return node.map((item) => hoist(item, assignments));
  if (node === null || typeof node !== "object") return node;
  const script = substitutedScript(node);
  if (script) {
    const name = `${VARIABLES.arithmetic}_${assignments.length}`;
    const value = { type: "Word" as const, parts: [substitution(script)] };
    assignments.push(assignment(name, value));
    return { type: "ArithVariable", name, hasDollarPrefix: false };
  }
  const entries = Object.entries(node).map(([name, value]) => [
    name,
    // The text that the expression was parsed from says the same as before.
    name === "originalText" && containsSubstitution(node) ? undefined : hoist(value, assignments),
  ]);
  return Object.fromEntries(entries);
}

function substitutedScript(node: object): ScriptNode | undefined {
  if (!("type" in node) || node.type !== "ArithCommandSubst" || !("command" in node)) return undefined;
  return tryParseScript(String(node.command));
}

function substitution(body: ScriptNode): WordPart {
  return { type: "CommandSubstitution", body, legacy: false };
}

export function containsSubstitution(node: object): boolean {
  return JSON.stringify(node).includes('"ArithCommandSubst"');
}

/** `$((…$(…)…))` as `$(…; echo $((…)))`. */
export function expandSubstitutions(part: Expansion): WordPart {
  const { node, assignments } = hoistSubstitutions(part);
  const echo = simple("echo", [{ type: "Word", parts: [node] }]);
  return substitution({
    type: "Script",
    statements: [statement(simple(null, [], { assignments })), statement(echo)],
  });
}
