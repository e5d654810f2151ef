import {
  type Assignment,
  constantText,
  type SimpleCommandNode,
  type WordNode,
  type WordPart,
} from "./ast.ts";

const DECLARING: ReadonlySet<string> = new Set(["declare", "local", "typeset"]);

/**
 * `declare -A m=([k]="a b")` as a declaration and an assignment: of a declaration, the interpreter splits values that
 * have keys at their blanks, quotes or not.
 *
 * @returns undefined: the command is no such declaration.
 */
export function splitDeclaration(
  command: SimpleCommandNode,
): { declaration: SimpleCommandNode; assignments: Assignment[] } | undefined {
  if (!DECLARING.has(constantText(command.name) ?? "")) return undefined;
  // What is read-only from its declaration on could not be assigned to.
  if (command.args.some((arg) => /^-\w*r/.test(constantText(arg) ?? ""))) return undefined;
  const assignments: Assignment[] = [];
  const args = command.args.map((arg) => {
    const filled = arrayAssignment(arg);
    if (!filled) return arg;
    assignments.push(filled);
    return { ...arg, parts: [{ type: "Literal" as const, value: filled.name }] };
  });
  return assignments.length > 0 ? { declaration: { ...command, args }, assignments } : undefined;
}

/** A word such as `m=([k]=v …)`, which has keys. */
function arrayAssignment({ parts }: WordNode): Assignment | undefined {
  const [first, ...rest] = parts;
  if (first?.type !== "Literal") return undefined;
  const [opening, name, plus] = /^(\w+)(\+?)=\(/.exec(first.value) ?? [];
  if (opening === undefined || name === undefined) return undefined;
  if (!rest.some((part) => part.type === "Glob" && part.pattern.startsWith("["))) return undefined;
  const inside: WordPart[] = [{ type: "Literal", value: first.value.slice(opening.length) }, ...rest];
  const last = inside.at(-1);
  if (last?.type !== "Literal" || !last.value.endsWith(")")) return undefined;
  inside[inside.length - 1] = { type: "Literal", value: last.value.slice(0, -1) };
  return { type: "Assignment", name, value: null, append: plus === "+", array: splitWords(inside) };
}

/** Parts of words, as words: they end where a blank stands outside of quotes. */
function splitWords(parts: readonly WordPart[]): WordNode[] {
  const words: WordPart[][] = [[]];
  for (const part of parts) {
    if (part.type !== "Literal") {
      words.at(-1)?.push(part);
      continue;
    }
    for (const [index, value] of part.value.split(/\s+/).entries()) {
      if (index > 0) words.push([]);
      if (value !== "") words.at(-1)?.push({ type: "Literal", value });
    }
  }
  return words.filter(({ length }) => length > 0).map((each) => ({ type: "Word", parts: each }));
}
