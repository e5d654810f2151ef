import {
  type Assignment,
  type Expansion,
  type HereDocument,
  isNode,
  mapParts,
  mapTree,
  type NodeOf,
  parseAtOnce,
  parseWord,
  type Redirection,
  type ScriptNode,
  someNode,
  type WordNode,
  type WordPart,
} from "../just-bash.ts";
import {
  assign,
  assignment,
  doubleQuoted,
  EMPTY,
  literal,
  simple,
  statement,
  substitution,
  word,
} from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** just-bash searches for a pattern for 1 to 3 µs per character, and others get no turn in the meantime. */
const MAX_PATTERN_SUBJECT_LENGTH = 65_536;

export const TOO_LONG = `longer than the ${MAX_PATTERN_SUBJECT_LENGTH} characters that a pattern is looked for in: limit of this machine`;

export interface NestedScripts {
  captured: (script: ScriptNode) => ScriptNode;
  reader: (script: ScriptNode) => ScriptNode;
  sourceFile: string | undefined;
}

/**
 * Replaces, in words and everything that contains words, what just-bash expands differently from bash, what
 * its printer prints differently from the source, and the scripts in substitutions.
 */
export function transformWords<Node>(node: Node, scripts: NestedScripts): Node {
  return transform(node, scripts) as Node;
}

function transform(node: unknown, scripts: NestedScripts): unknown {
  if (Array.isArray(node)) {
    return node.flatMap((item, index) => [
      ...checksBefore(item),
      transform(item, scripts),
      ...(printsAsOneName(item, node[index + 1]) ? [EMPTY] : []),
    ]);
  }
  if (node === null || typeof node !== "object") return node;
  const hoisted = isNode(node, "ArithmeticExpansion") ? expandHoisted(node) : node;
  if (isNode(hoisted, "CommandSubstitution")) {
    // The printer does not escape backquotes within backquotes.
    return { ...hoisted, body: scripts.captured(hoisted.body), legacy: false };
  }
  if (isNode(hoisted, "ProcessSubstitution")) {
    const { captured, reader } = scripts;
    return { ...hoisted, body: (hoisted.direction === "output" ? reader : captured)(hoisted.body) };
  }
  return mapParts(replaceNode(hoisted, scripts.sourceFile), (part) => transform(part, scripts));
}

/** The printer prints `${a}b` without braces. */
function printsAsOneName(part: unknown, next: unknown): boolean {
  if (!isNode(part, "ParameterExpansion") || !isNode(next, "Literal")) return false;
  return part.operation === null && /^[\w[]/.test(next.value);
}

function replaceNode(node: object, sourceFile: string | undefined): object {
  if (isNode(node, "ParameterExpansion")) {
    const { parameter, operation } = node;
    // just-bash has the file name of functions only.
    if (sourceFile !== undefined && /^BASH_SOURCE(\[0\])?$/.test(parameter) && operation === null) {
      return doubleQuoted({ type: "Literal", value: sourceFile });
    }
    // just-bash counts the letters of `${#@}` and `${#*}`.
    if (/^[@*]$/.test(parameter) && operation?.type === "Length") {
      return { ...node, parameter: "#", operation: null };
    }
    // just-bash has no value for `$!`.
    return parameter === "!" ? { ...node, parameter: VARIABLES.jobPid } : node;
  }
  if (isNode(node, "Word") && "parts" in node) {
    // The printer prints newlines outside of quotes as line continuations.
    const parts = node.parts.map((part) =>
      part.type === "Literal" && part.value.includes("\n") ? doubleQuoted(part) : part,
    );
    return { ...node, parts };
  }
  if (isNode(node, "Substring")) {
    // The printer prints `${x: -1}` without the space, as another operation.
    const expression = { type: "ArithGroup", expression: node.offset.expression };
    return { ...node, offset: { ...node.offset, expression } };
  }
  if (isNode(node, "Redirection") && node.target.type === "HereDoc") return hereString(node, node.target);
  if (isNode(node, "CondBinary")) {
    const checked = requireShortOperand(node);
    return checked.operator === "=~" ? { ...checked, right: withPlainPattern(checked.right) } : checked;
  }
  return node;
}

/** The printer escapes the operators of regular expressions in literals. */
function withPlainPattern(pattern: WordNode): WordNode {
  const parts = pattern.parts.map(
    (part): WordPart => (part.type === "Literal" ? { type: "Glob", pattern: part.value } : part),
  );
  return word(...parts);
}

/** The printer breaks here-documents of commands that are not the last of their line. */
function hereString(node: Redirection, { content, stripTabs }: HereDocument): Redirection {
  const parts = content.parts
    .flatMap((part) => (part.type === "DoubleQuoted" ? part.parts : [part]))
    .map((part) =>
      part.type === "Literal" && stripTabs ? { ...part, value: part.value.replace(/^\t+/gm, "") } : part,
    );
  const last = parts.at(-1);
  if (last === undefined) return { ...node, operator: "<", target: literal("/dev/null") };
  // A here-string adds the newline that a here-document ends with.
  if (last.type === "Literal") parts[parts.length - 1] = { ...last, value: last.value.replace(/\n$/, "") };
  return { ...node, operator: "<<<", target: word(doubleQuoted(...parts)) };
}

function checksBefore(part: unknown): WordPart[] {
  if (!isNode(part, "ParameterExpansion")) return [];
  const operation = part.operation?.type;
  return operation === "PatternReplacement" || operation === "PatternRemoval" ? requireShort(part) : [];
}

function requireShortOperand(node: NodeOf<"CondBinary">): NodeOf<"CondBinary"> {
  const { left, right, operator } = node;
  if (operator !== "=~" && !someNode(right, (part) => isNode(part, "Glob"))) return node;
  const parts = left.parts.flatMap((part) => (part.type === "DoubleQuoted" ? part.parts : [part]));
  const checks = parts.flatMap((part) => (part.type === "ParameterExpansion" ? requireShort(part) : []));
  return { ...node, left: { ...left, parts: [...checks, ...left.parts] } };
}

/**
 * Expands to nothing, or ends the shell with a message if the string is too long. The array has an element
 * only for the quotient 0; its index is a variable because just-bash does not support lengths in indices.
 */
function requireShort({ parameter }: Expansion): WordPart[] {
  if (!/^\w+$/.test(parameter)) return [];
  const { short, length } = VARIABLES;
  const quotient = `\${#${parameter}}/${MAX_PATTERN_SUBJECT_LENGTH + 1}`;
  return parseWord(`\${${short}:${length}=${quotient}}\${${short}[${length}]?a string is ${TOO_LONG}}`);
}

/** What just-bash expands within the braces of arithmetic: `x`, `#x`, `x[…]` and `x:-1`. */
const SUPPORTED_EXPANSION =
  /^(?:\d+|[@*?$!-]|#?[A-Za-z_]\w*(?:\[[@*]\])?|[A-Za-z_]\w*\[[^[\]{(]*\]|[A-Za-z_]\w*:?[-=?+]\w*)$/;

/**
 * Assigns expansions in arithmetic to variables, and puts these in their place: just-bash runs commands in
 * arithmetic in a shell without the script's variables, and expands only the simplest braces.
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
    // Without the prefix it would be a key of an associative array itself.
    return { type: "ArithVariable", name, hasDollarPrefix: true };
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
function expandHoisted(part: WordPart): WordPart {
  const hoisted = hoistExpansions(part);
  if (!hoisted) return part;
  const echo = simple("echo", [word(hoisted.node)]);
  return substitution([statement(assign(hoisted.assignments)), statement(echo)]);
}
