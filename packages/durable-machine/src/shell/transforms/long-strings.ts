import { tryParseScript } from "../script-parser.ts";
import type { WordNode, WordPart } from "./ast.ts";
import { VARIABLES } from "./names.ts";

/**
 * The longest string, in characters, that a pattern is looked for in: it takes one to three microseconds for each,
 * without a pause in which others get their turn.
 */
const LONGEST_STRING = 65_536;

/** What is said of a longer one. */
export const TOO_LONG = `longer than the ${LONGEST_STRING} characters that a pattern is looked for in: limit of this machine`;

type Expansion = Extract<WordPart, { type: "ParameterExpansion" }>;

/** A variable or a positional parameter. Of elements of arrays the interpreter knows no length in arithmetic. */
const SCALAR = /^\w+$/;

/** What is to be expanded before a part of a word that looks for a pattern in a string; nothing before others. */
export function checksBefore(part: unknown): WordPart[] {
  const operation = isScalar(part) ? part.operation?.type : undefined;
  const looksForPattern = operation === "PatternReplacement" || operation === "PatternRemoval";
  return looksForPattern && isScalar(part) ? requireShort(part) : [];
}

/** The same comparison of `[[ ]]`, where it is one with a pattern, over strings that are short enough. */
export function requireShortOperand<Node extends object>(comparison: Node): Node {
  if (!("type" in comparison) || comparison.type !== "CondBinary" || !comparesWithPattern(comparison)) {
    return comparison;
  }
  const { left } = comparison;
  const checks = left.parts.flatMap(insideQuotes).filter(isScalar).flatMap(requireShort);
  return { ...comparison, left: { ...left, parts: [...checks, ...left.parts] } };
}

function comparesWithPattern(node: object): node is { left: WordNode; right: WordNode } {
  if (!("operator" in node) || !("left" in node) || !("right" in node)) return false;
  return node.operator === "=~" || JSON.stringify(node.right).includes('"Glob"');
}

function insideQuotes(part: WordPart): WordPart[] {
  return part.type === "DoubleQuoted" ? part.parts : [part];
}

function isScalar(part: unknown): part is Expansion {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  return part.type === "ParameterExpansion" && "parameter" in part && SCALAR.test(String(part.parameter));
}

/**
 * Expands to nothing where the string is short enough, and ends the shell with a message where it is not: an array
 * has an element for the lengths that will do, and none for others.
 */
function requireShort({ parameter }: Expansion): WordPart[] {
  const { short, length } = VARIABLES;
  const check = `: \${${short}:${length}=\${#${parameter}}/${LONGEST_STRING + 1}}\${${short}[${length}]?a string is ${TOO_LONG}}`;
  const command = tryParseScript(check)?.statements[0]?.pipelines[0]?.commands[0];
  return command?.type === "SimpleCommand" ? (command.args[0]?.parts ?? []) : [];
}
