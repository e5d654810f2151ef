import { expandHoisted, needsHoisting } from "./arithmetic.ts";
import type { ScriptNode, WordPart } from "./ast.ts";
import { checksBefore, requireShortOperand } from "./long-strings.ts";
import { VARIABLES } from "./names.ts";

/** How a script that stands inside a word is put where its output is taken. */
export interface NestedScripts {
  /** `$(…)` and `<(…)`. */
  captured: (script: ScriptNode) => ScriptNode;
  /** `>(…)`. */
  reader: (script: ScriptNode) => ScriptNode;
  /** The file that the script is from: what `${BASH_SOURCE[0]}` is outside of functions. */
  sourceFile: string | undefined;
}

/**
 * Words, and all that holds words, with the scripts in their substitutions replaced.
 *
 * Words have dozens of shapes, and scripts turn up in all of them; what is no substitution is gone through alike.
 */
export function replaceNestedScripts<Node>(node: Node, replace: NestedScripts): Node {
  return replaceIn(node, replace) as Node;
}

function replaceIn(node: unknown, replace: NestedScripts): unknown {
  if (Array.isArray(node)) return node.flatMap((item) => [...checksBefore(item), replaceIn(item, replace)]);
  if (node === null || typeof node !== "object") return node;
  if (isArithmetic(node) && needsHoisting(node)) return replaceIn(expandHoisted(node), replace);
  if (replace.sourceFile !== undefined && isSourceFile(node)) {
    return { type: "DoubleQuoted", parts: [{ type: "Literal", value: replace.sourceFile }] };
  }
  if (isSubstitution(node)) {
    const isReader = node.type === "ProcessSubstitution" && node.direction === "output";
    return { ...node, body: isReader ? replace.reader(node.body) : replace.captured(node.body) };
  }
  if (isCount(node)) return { ...node, parameter: "#", operation: null };
  if (isJobNumber(node)) return { ...node, parameter: VARIABLES.jobPid };
  const entries = Object.entries(requireShortOperand(node)).map(([name, value]) => [
    name,
    replaceIn(value, replace),
  ]);
  return Object.fromEntries(entries);
}

function isArithmetic(node: object): node is Extract<WordPart, { type: "ArithmeticExpansion" }> {
  return "type" in node && node.type === "ArithmeticExpansion";
}

function isSourceFile(node: object): boolean {
  return (
    "type" in node &&
    node.type === "ParameterExpansion" &&
    "parameter" in node &&
    (node.parameter === "BASH_SOURCE" || node.parameter === "BASH_SOURCE[0]") &&
    "operation" in node &&
    node.operation === null
  );
}

/** `${#@}` and `${#*}`: the interpreter counts letters. */
function isCount(node: object): boolean {
  return (
    "type" in node &&
    node.type === "ParameterExpansion" &&
    "parameter" in node &&
    (node.parameter === "@" || node.parameter === "*") &&
    "operation" in node &&
    isLength(node.operation)
  );
}

function isLength(operation: unknown): boolean {
  return (
    typeof operation === "object" && operation !== null && "type" in operation && operation.type === "Length"
  );
}

/** `$!`, which the interpreter has no value for. */
function isJobNumber(node: object): boolean {
  return (
    "type" in node && node.type === "ParameterExpansion" && "parameter" in node && node.parameter === "!"
  );
}

function isSubstitution(node: object): node is { type: string; direction?: string; body: ScriptNode } {
  return "type" in node && (node.type === "CommandSubstitution" || node.type === "ProcessSubstitution");
}
