import {
  type Assignment,
  type CommandNode,
  parseCommand,
  type SimpleCommandNode,
  type StatementNode,
  type WordNode,
  type WordPart,
} from "../just-bash.ts";
import {
  assign,
  assignment,
  constantText,
  doubleQuoted,
  group,
  list,
  literal,
  simple,
  statement,
  word,
} from "./ast.ts";
import { VARIABLES } from "./names.ts";

const DECLARING: ReadonlySet<string | undefined> = new Set(["declare", "local", "typeset"]);
const MARKING: ReadonlySet<string | undefined> = new Set(["export", "readonly"]);

/**
 * `declare a=("$@")` as a declaration and an assignment: just-bash parses the array as one word without its
 * substitutions and quotes. `source` is the text of the statement that the command is from.
 */
export function withArrays(command: CommandNode, source: string | undefined): CommandNode {
  if (command.type !== "SimpleCommand") return command;
  if (command.name === null && command.assignments.some((each) => elementsOf(each))) {
    return group(command.assignments.flatMap((each) => assignElements(each, true)));
  }
  const given = constantText(command.name);
  if (!DECLARING.has(given) && !MARKING.has(given)) return command;
  const arrays: Assignment[] = [];
  const args = command.args.map((arg) => {
    const array = source === undefined ? undefined : declaredArray(arg, source);
    if (!array) return arg;
    arrays.push(array);
    const isCleared = DECLARING.has(given) && !array.append;
    return literal(isCleared ? `${array.name}=()` : array.name);
  });
  // just-bash's `local` ignores flags that its `declare` supports, and within a function the two do the same.
  const name = given === "local" && args.some((arg) => hasFlag(arg, /[Ailu]/)) ? "declare" : given;
  const declaration: SimpleCommandNode = { ...command, name: literal(name ?? "") };
  if (arrays.length === 0) return name === given ? command : declaration;
  // A declaration does not fail when a substitution in it fails.
  const assignments = arrays.flatMap((array) =>
    elementsOf(array) ? assignElements(array, false) : [list(assign([array]), "||", simple(":"))],
  );
  if (MARKING.has(name)) return group([...assignments, statement({ ...declaration, args })]);
  return group([statement({ ...declaration, args: args.flatMap(withoutReadOnly) }), ...assignments]);
}

function declaredArray({ parts: [first] }: WordNode, source: string): Assignment | undefined {
  const [, name, plus = ""] = (first?.type === "Literal" && /^(\w+)(\+?)=\(/.exec(first.value)) || [];
  if (name === undefined) return undefined;
  const opening = `${name}${plus && "\\+"}=\\(`;
  const declaration = `\\b(?:declare|local|typeset|export|readonly)\\s(?:.*?\\s)??(?=${opening})`;
  const before = new RegExp(declaration, "s").exec(source);
  const command = before && parseCommand(source.slice(before.index + before[0].length));
  return command?.type === "SimpleCommand" ? command.assignments[0] : undefined;
}

interface Element {
  index: WordPart[];
  append: boolean;
  value: WordPart[];
}

/** The elements of `([a b]=1 [$c]=2)`, where just-bash parses two words, and does not expand indices. */
function elementsOf({ array }: Assignment): Element[] | undefined {
  const elements: Element[] = [];
  let open: WordPart[] | undefined;
  let isPlain = true;
  for (const { parts } of array ?? []) {
    const [first, ...rest] = parts;
    const constant = first?.type === "Glob" ? /^\[([^[\]]+)\]$/.exec(first.pattern)?.[1] : undefined;
    const isStart = first?.type === "Glob" && (first.pattern === "[" || constant !== undefined);
    if (open === undefined && !isStart) return undefined;
    const given: WordPart[] =
      constant === undefined ? rest : [{ type: "Literal", value: `${constant}]` }, ...rest];
    const content: WordPart[] = open === undefined ? given : [{ type: "Literal", value: " " }, ...parts];
    const text = joinLiterals(content);
    const end = text.findIndex((part) => part.type === "Literal" && /\]\+?=/.test(part.value));
    const last = text[end];
    isPlain &&= open === undefined && end <= 0;
    open = [...(open ?? []), ...text.slice(0, end === -1 ? undefined : end)];
    if (last?.type !== "Literal") continue;
    const [before = "", after = ""] = last.value.split(/\]\+?=(.*)/s);
    const append = last.value.startsWith("]+", before.length);
    const index = [...open, literalPart(before)];
    elements.push({ index, append, value: [literalPart(after), ...text.slice(end + 1)] });
    open = undefined;
  }
  return open === undefined && !isPlain && elements.length > 0 ? elements : undefined;
}

function literalPart(value: string): WordPart {
  return { type: "Literal", value };
}

function joinLiterals(parts: readonly WordPart[]): WordPart[] {
  const joined: WordPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "Literal" && last?.type === "Literal") {
      joined[joined.length - 1] = literalPart(last.value + part.value);
    } else joined.push(part);
  }
  return joined;
}

/** An assignment for each element, whose index is a variable. */
function assignElements(array: Assignment, clears: boolean): StatementNode[] {
  const elements = elementsOf(array);
  if (!elements) return [statement(assign([array]))];
  const cleared = clears && !array.append ? [statement(assign([{ ...array, array: [] }]))] : [];
  const assigned = elements.flatMap(({ index, append, value }) => {
    const text = index.flatMap((part) => (part.type === "DoubleQuoted" ? part.parts : [part]));
    const name = `${array.name}[$${VARIABLES.index}]`;
    return [
      statement(assign([assignment(VARIABLES.index, word(doubleQuoted(...text)))])),
      statement(assign([{ ...assignment(name, word(...value)), append }])),
    ];
  });
  return [...cleared, ...assigned];
}

function hasFlag(arg: WordNode, letters: RegExp): boolean {
  const text = constantText(arg) ?? "";
  return /^[-+]/.test(text) && letters.test(text);
}

/** A read-only array could not be assigned to after its declaration. */
function withoutReadOnly(arg: WordNode): WordNode[] {
  if (!hasFlag(arg, /r/)) return [arg];
  const flags = (constantText(arg) ?? "").replaceAll("r", "");
  return /^[-+]$/.test(flags) ? [] : [literal(flags)];
}
