import { isNode, mapParts, type ScriptNode } from "../just-bash.ts";
import { expandHoisted, needsHoisting } from "./arithmetic.ts";
import { doubleQuoted } from "./ast.ts";
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

/** Words, and all that holds words, with the scripts in their substitutions replaced. */
export function replaceNestedScripts<Node>(node: Node, replace: NestedScripts): Node {
  return replaceIn(node, replace) as Node;
}

function replaceIn(node: unknown, replace: NestedScripts): unknown {
  if (Array.isArray(node)) return node.flatMap((item) => [...checksBefore(item), replaceIn(item, replace)]);
  if (node === null || typeof node !== "object") return node;
  if (isNode(node, "ArithmeticExpansion") && needsHoisting(node)) {
    return replaceIn(expandHoisted(node), replace);
  }
  if (isNode(node, "CommandSubstitution")) return { ...node, body: replace.captured(node.body) };
  if (isNode(node, "ProcessSubstitution")) {
    return { ...node, body: (node.direction === "output" ? replace.reader : replace.captured)(node.body) };
  }
  if (isNode(node, "ParameterExpansion")) {
    const { parameter, operation } = node;
    if (replace.sourceFile !== undefined && /^BASH_SOURCE(\[0\])?$/.test(parameter) && operation === null) {
      return doubleQuoted({ type: "Literal", value: replace.sourceFile });
    }
    // The interpreter counts the letters of `${#@}` and `${#*}`.
    if (/^[@*]$/.test(parameter) && operation?.type === "Length") {
      return { ...node, parameter: "#", operation: null };
    }
    // The interpreter has no value for `$!`.
    if (parameter === "!") return { ...node, parameter: VARIABLES.jobPid };
  }
  return mapParts(requireShortOperand(node), (part) => replaceIn(part, replace));
}
