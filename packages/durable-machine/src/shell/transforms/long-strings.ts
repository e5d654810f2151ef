import { type Expansion, isNode, type NodeOf, parseWord, someNode, type WordPart } from "../just-bash.ts";
import { VARIABLES } from "./names.ts";

/** just-bash looks for a pattern for 1 to 3 µs per character, and others do not get their turn meanwhile. */
const MAX_PATTERN_SUBJECT_LENGTH = 65_536;

export const TOO_LONG = `longer than the ${MAX_PATTERN_SUBJECT_LENGTH} characters that a pattern is looked for in: limit of this machine`;

/** The checks that come before a part of a word which looks for a pattern in a string. */
export function checksBefore(part: unknown): WordPart[] {
  if (!isNode(part, "ParameterExpansion")) return [];
  const operation = part.operation?.type;
  return operation === "PatternReplacement" || operation === "PatternRemoval" ? requireShort(part) : [];
}

/** A comparison of `[[ ]]`, with a check before a string that is compared with a pattern. */
export function requireShortOperand(node: NodeOf<"CondBinary">): NodeOf<"CondBinary"> {
  const { left, right, operator } = node;
  if (operator !== "=~" && !someNode(right, (part) => isNode(part, "Glob"))) return node;
  const parts = left.parts.flatMap((part) => (part.type === "DoubleQuoted" ? part.parts : [part]));
  const checks = parts.flatMap((part) => (part.type === "ParameterExpansion" ? requireShort(part) : []));
  return { ...node, left: { ...left, parts: [...checks, ...left.parts] } };
}

/**
 * Expands to nothing, or ends the shell with a message if the string is too long. The array has an element only for
 * the quotient 0; its index is a variable since just-bash knows no lengths in indices.
 */
function requireShort({ parameter }: Expansion): WordPart[] {
  if (!/^\w+$/.test(parameter)) return [];
  const { short, length } = VARIABLES;
  const quotient = `\${#${parameter}}/${MAX_PATTERN_SUBJECT_LENGTH + 1}`;
  return parseWord(`\${${short}:${length}=${quotient}}\${${short}[${length}]?a string is ${TOO_LONG}}`);
}
