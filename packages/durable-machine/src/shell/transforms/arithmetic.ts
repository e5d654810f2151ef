import { tryParseScript } from "../script-parser.ts";
import { type Assignment, assignment, type ScriptNode, simple, statement, type WordPart } from "./ast.ts";
import { VARIABLES } from "./names.ts";

type Expansion = Extract<WordPart, { type: "ArithmeticExpansion" }>;

/** An arithmetic expression, and the assignments that hold what has been taken out of it. */
interface Hoisted<Node> {
  node: Node;
  assignments: Assignment[];
}

/**
 * Takes out of an arithmetic expression what the interpreter works out otherwise there than elsewhere: substitutions
 * of commands, which it runs in a shell that knows none of the script's variables, and expansions in braces, of which
 * it knows only the simplest.
 */
export function hoistExpansions<Node>(node: Node): Hoisted<Node> {
  const assignments: Assignment[] = [];
  return { node: hoist(node, assignments) as Node, assignments };
}

function hoist(node: unknown, assignments: Assignment[]): unknown {
  if (Array.isArray(node)) return node.map((item) => hoist(item, assignments));
  if (node === null || typeof node !== "object") return node;
  const hoisted = hoistedPart(node);
  if (hoisted) {
    const name = `${VARIABLES.arithmetic}_${assignments.length}`;
    assignments.push(assignment(name, { type: "Word", parts: [hoisted] }));
    return { type: "ArithVariable", name, hasDollarPrefix: false };
  }
  const entries = Object.entries(node).map(([name, value]) => [
    name,
    // The text that the expression was parsed from says the same as before.
    name === "originalText" && needsHoisting(node) ? undefined : hoist(value, assignments),
  ]);
  return Object.fromEntries(entries);
}

/** What a part of an expression is as part of a word; undefined: it stays where it is. */
function hoistedPart(node: object): WordPart | undefined {
  if (!("type" in node)) return undefined;
  if (node.type === "ArithCommandSubst" && "command" in node) {
    const script = tryParseScript(String(node.command));
    return script && substitution(script);
  }
  if (node.type !== "ArithBracedExpansion" || !("content" in node)) return undefined;
  const content = String(node.content);
  return WELL_KNOWN_EXPANSION.test(content) ? undefined : parseExpansion(content);
}

/** What stands between the braces of `${x}`, `${#x}`, `${#x[@]}`, `${x[…]}` and `${x:-1}`. */
const WELL_KNOWN_EXPANSION =
  /^(?:\d+|[@*?$!-]|#?[A-Za-z_]\w*(?:\[[@*]\])?|[A-Za-z_]\w*\[[^[\]]*\]|[A-Za-z_]\w*:?[-=?+]\w*)$/;

function parseExpansion(content: string): WordPart | undefined {
  const command = tryParseScript(`: "\${${content}}"`)?.statements[0]?.pipelines[0]?.commands[0];
  return command?.type === "SimpleCommand" ? command.args[0]?.parts[0] : undefined;
}

function substitution(body: ScriptNode): WordPart {
  return { type: "CommandSubstitution", body, legacy: false };
}

/** Whether there is something in an expression that {@link hoistExpansions} takes out of it. */
export function needsHoisting(node: unknown): boolean {
  if (node === null || typeof node !== "object") return false;
  if (Array.isArray(node)) return node.some(needsHoisting);
  return hoistedPart(node) !== undefined || Object.values(node).some(needsHoisting);
}

/** `$((…$(…)…))` as `$(…; echo $((…)))`. */
export function expandHoisted(part: Expansion): WordPart {
  const { node, assignments } = hoistExpansions(part);
  const echo = simple("echo", [{ type: "Word", parts: [node] }]);
  return substitution({
    type: "Script",
    statements: [statement(simple(null, [], { assignments })), statement(echo)],
  });
}
