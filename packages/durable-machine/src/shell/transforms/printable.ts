import type { Redirection, ScriptNode, WordNode, WordPart } from "./ast.ts";

type Arithmetic = Extract<WordPart, { type: "ArithmeticExpansion" }>["expression"];
type HereDocument = Exclude<Redirection["target"], WordNode>;

/**
 * A script that does the same and can be printed: the interpreter's printer gets some of its own parser's shapes
 * wrong. Here-documents become here-strings, `$'it\'s'` and backquotes get other quotes, and what is special in a
 * regular expression is printed as it stands.
 */
export function toPrintable(script: ScriptNode): ScriptNode {
  return rewrite(script) as ScriptNode;
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (node === null || typeof node !== "object") return node;
  const entries = Object.entries(node).map(([name, value]) => [name, rewrite(value)]);
  return rewriteNode(Object.fromEntries(entries));
}

function rewriteNode(node: Record<string, unknown>): unknown {
  switch (node.type) {
    case "SingleQuoted":
      return String(node.value).includes("'")
        ? { type: "DoubleQuoted", parts: [{ type: "Literal", value: node.value }] }
        : node;
    case "Word":
      return hasParts(node) ? { ...node, parts: separateNames(node.parts).map(quoteNewlines) } : node;
    case "DoubleQuoted":
      return hasParts(node) ? { ...node, parts: separateNames(node.parts) } : node;
    case "Substring":
      // Without parentheses, `${x: -1}` would be printed as another operation.
      return { ...node, offset: parenthesized(node.offset as Arithmetic) };
    case "CommandSubstitution":
      return { ...node, legacy: false };
    case "Redirection":
      return isHereDocument(node.target) ? hereString(node as unknown as Redirection, node.target) : node;
    case "CondBinary":
      return node.operator === "=~" ? { ...node, right: regularExpression(node.right as WordNode) } : node;
    default:
      return node;
  }
}

/** A part of a word that is printed as it is. */
function printedAs(pattern: string): WordPart {
  return { type: "Glob", pattern };
}

function hasParts(node: Record<string, unknown>): node is { parts: WordPart[] } {
  return Array.isArray(node.parts);
}

/** The printer has `$ab` for `${a}b`: braces keep a name apart from what follows it. */
function separateNames(parts: readonly WordPart[]): WordPart[] {
  return parts.map((part, index) => {
    const next = parts[index + 1];
    const isBare = part.type === "ParameterExpansion" && part.operation === null;
    if (!isBare || next?.type !== "Literal" || !/^[\w[]/.test(next.value)) return part;
    return printedAs(`\${${part.parameter}}`);
  });
}

/** Outside of quotes, the printer makes line continuations of newlines. */
function quoteNewlines(part: WordPart): WordPart {
  return part.type === "Literal" && part.value.includes("\n")
    ? { type: "DoubleQuoted", parts: [part] }
    : part;
}

function parenthesized(arithmetic: Arithmetic): Arithmetic {
  return { ...arithmetic, expression: { type: "ArithGroup", expression: arithmetic.expression } };
}

function isHereDocument(target: unknown): target is HereDocument {
  return typeof target === "object" && target !== null && "type" in target && target.type === "HereDoc";
}

function hereString(node: Redirection, { content, stripTabs }: HereDocument): Redirection {
  const parts = content.parts
    .flatMap((part) => (part.type === "DoubleQuoted" ? part.parts : [part]))
    .map((part) =>
      part.type === "Literal" && stripTabs ? { ...part, value: part.value.replace(/^\t+/gm, "") } : part,
    );
  const last = parts.at(-1);
  if (last === undefined) {
    return { ...node, operator: "<", target: word([{ type: "Literal", value: "/dev/null" }]) };
  }
  // A here-string adds the newline that a here-document ends with.
  if (last.type === "Literal") parts[parts.length - 1] = { ...last, value: last.value.replace(/\n$/, "") };
  return { ...node, operator: "<<<", target: word([{ type: "DoubleQuoted", parts }]) };
}

function word(parts: WordPart[]): WordNode {
  return { type: "Word", parts };
}

function regularExpression({ parts }: WordNode): WordNode {
  return word(parts.map((part) => (part.type === "Literal" ? printedAs(part.value) : part)));
}
