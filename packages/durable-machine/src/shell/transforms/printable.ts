import {
  type HereDocument,
  isNode,
  mapParts,
  printScript,
  type Redirection,
  type ScriptNode,
  type WordPart,
} from "../just-bash.ts";
import { doubleQuoted, literal, word } from "./ast.ts";

/**
 * A script as text. The library's printer gets some of its own parser's shapes wrong: here-documents become
 * here-strings, `$'it\'s'` and backquotes get other quotes, and regular expressions are printed as they stand.
 */
export function printable(script: ScriptNode): string {
  return printScript(rewrite(script) as ScriptNode);
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite);
  if (node === null || typeof node !== "object") return node;
  return rewriteNode(mapParts(node, rewrite));
}

function rewriteNode(node: object): object {
  if (isNode(node, "SingleQuoted")) {
    return node.value.includes("'") ? doubleQuoted({ type: "Literal", value: node.value }) : node;
  }
  if (isNode(node, "Word")) return word(...separateNames(node.parts).map(quoteNewlines));
  if (isNode(node, "DoubleQuoted")) return doubleQuoted(...separateNames(node.parts));
  if (isNode(node, "CommandSubstitution")) return { ...node, legacy: false };
  if (isNode(node, "Substring")) {
    // Without parentheses, `${x: -1}` would be printed as another operation.
    const { offset } = node;
    return {
      ...node,
      offset: { ...offset, expression: { type: "ArithGroup", expression: offset.expression } },
    };
  }
  if (isNode(node, "Redirection") && node.target.type === "HereDoc") return hereString(node, node.target);
  if (isNode(node, "CondBinary") && node.operator === "=~") {
    const parts = node.right.parts.map((part) => (part.type === "Literal" ? printedAs(part.value) : part));
    return { ...node, right: word(...parts) };
  }
  return node;
}

/** A part of a word that is printed as it is. */
function printedAs(pattern: string): WordPart {
  return { type: "Glob", pattern };
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
  return part.type === "Literal" && part.value.includes("\n") ? doubleQuoted(part) : part;
}

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
