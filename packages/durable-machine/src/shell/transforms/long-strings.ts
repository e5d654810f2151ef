import { type Expansion, isNode, parseCommand, someNode, type WordPart } from "../just-bash.ts";
import { VARIABLES } from "./names.ts";

/** The interpreter looks for a pattern for 1 to 3 µs per character without a pause in which others get their turn. */
const MAX_PATTERN_SUBJECT_LENGTH = 65_536;

export const TOO_LONG = `longer than the ${MAX_PATTERN_SUBJECT_LENGTH} characters that a pattern is looked for in: limit of this machine`;

/** What is to be expanded before a part of a word that looks for a pattern in a string; nothing before others. */
export function checksBefore(part: unknown): WordPart[] {
  if (!isNode(part, "ParameterExpansion")) return [];
  const operation = part.operation?.type;
  return operation === "PatternReplacement" || operation === "PatternRemoval" ? requireShort(part) : [];
}

/** The same comparison of `[[ ]]`, where it is one with a pattern, over strings that are short enough. */
export function requireShortOperand(node: object): object {
  if (!isNode(node, "CondBinary")) return node;
  const { left, right, operator } = node;
  if (operator !== "=~" && !someNode(right, (part) => isNode(part, "Glob"))) return node;
  const parts = left.parts.flatMap((part) => (part.type === "DoubleQuoted" ? part.parts : [part]));
  const checks = parts.flatMap((part) => (part.type === "ParameterExpansion" ? requireShort(part) : []));
  return { ...node, left: { ...left, parts: [...checks, ...left.parts] } };
}

/**
 * Expands to nothing where the string is short enough, and ends the shell with a message where it is not: an array
 * has an element for the lengths that will do, and none for others. Arithmetic has no lengths of arrays' elements.
 */
function requireShort({ parameter }: Expansion): WordPart[] {
  if (!/^\w+$/.test(parameter)) return [];
  const { short, length } = VARIABLES;
  const quotient = `\${#${parameter}}/${MAX_PATTERN_SUBJECT_LENGTH + 1}`;
  const check = `: \${${short}:${length}=${quotient}}\${${short}[${length}]?a string is ${TOO_LONG}}`;
  const command = parseCommand(check);
  return command?.type === "SimpleCommand" ? (command.args[0]?.parts ?? []) : [];
}
