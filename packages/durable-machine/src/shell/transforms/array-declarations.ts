import { ARRAY_MARKS, unmarkArrays } from "../array-marks.ts";
import {
  type Assignment,
  constantText,
  literal,
  pipeline,
  type SimpleCommandNode,
  type StatementNode,
  simple,
  statement,
  type WordNode,
  type WordPart,
} from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** Declare, and assign after that. */
const SCOPED: ReadonlySet<string> = new Set(["declare", "local", "typeset"]);

/** Declare what has been assigned. */
const MARKING: ReadonlySet<string> = new Set(["export", "readonly"]);

/**
 * `declare a=("$@")` as declarations and assignments: what the interpreter itself makes of such a declaration is
 * split at its blanks.
 *
 * @returns undefined: the command is no such declaration.
 */
export function splitDeclaration(
  command: SimpleCommandNode,
): { before: StatementNode[]; declaration: SimpleCommandNode | undefined } | undefined {
  const { arrays, others } = takeArrays(command.args);
  const given = constantText(command.name) ?? "";
  const name = given === "local" && others.some(isFlagOfDeclare) ? "declare" : given;
  if (arrays.length === 0) {
    return name === given ? undefined : { before: [], declaration: { ...command, name: literal(name) } };
  }
  if (MARKING.has(name)) {
    const names = arrays.map((array) => literal(array.name));
    return { before: arrays.map(always), declaration: { ...command, args: [...others, ...names] } };
  }
  if (!SCOPED.has(name)) return undefined;
  const isFlag = (arg: WordNode) => /^[-+]/.test(constantText(arg) ?? "");
  // What is read-only from its declaration on could not be assigned to.
  const flags = others.filter(isFlag).flatMap(withoutReadOnly);
  const before = arrays.flatMap((array) => {
    const declaration = (value: string) => statement(simple(name, [...flags, `${array.name}${value}`]));
    if (array.append || hasKeys(array)) return [declaration(""), always(array)];
    const { kept, restored } = keep(array);
    return [always(kept), declaration("=()"), always(restored)];
  });
  // Whatever a function makes read-only is so in its next call too.
  const isReadOnly = given !== "local" && others.some(isReadOnlyFlag);
  const names = arrays.map((array) => array.name);
  if (isReadOnly) before.push(statement(simple("readonly", names)));
  const isLast = others.every(isFlag);
  return { before, declaration: isLast ? undefined : { ...command, name: literal(name), args: others } };
}

/** Elements come from before the declaration, which may hide a variable that they name. */
function keep(array: Assignment): { kept: Assignment; restored: Assignment } {
  const elements: WordPart = {
    type: "ParameterExpansion",
    parameter: `${VARIABLES.array}[@]`,
    operation: null,
  };
  const copy: WordNode = { type: "Word", parts: [{ type: "DoubleQuoted", parts: [elements] }] };
  return { kept: { ...array, name: VARIABLES.array }, restored: { ...array, array: [copy] } };
}

/** An assignment of which substitutions may fail: a declaration does not for that. */
function always(each: Assignment): StatementNode {
  return {
    type: "Statement",
    pipelines: [pipeline([simple(null, [], { assignments: [each] })]), pipeline([simple(":")])],
    operators: ["||"],
    background: false,
  };
}

function isReadOnlyFlag(arg: WordNode): boolean {
  return /^-\w*r/.test(constantText(arg) ?? "");
}

/** Flags that the interpreter's `local` passes over; its `declare` is the same within a function, and knows them. */
function isFlagOfDeclare(arg: WordNode): boolean {
  return /^-\w*[Ailu]/.test(constantText(arg) ?? "");
}

function withoutReadOnly(arg: WordNode): WordNode[] {
  if (!isReadOnlyFlag(arg)) return [arg];
  const flags = (constantText(arg) ?? "").replaceAll("r", "");
  return flags === "-" ? [] : [literal(flags)];
}

function hasKeys({ array }: Assignment): boolean {
  return (
    array?.some(({ parts: [first] }) => first?.type === "Glob" && first.pattern.startsWith("[")) ?? false
  );
}

/** The arrays among a declaration's arguments, each of which goes from one mark to another. */
function takeArrays(args: readonly WordNode[]): { arrays: Assignment[]; others: WordNode[] } {
  const arrays: Assignment[] = [];
  const others: WordNode[] = [];
  let elements: WordNode[] | undefined;
  for (const arg of args) {
    const text = constantText(arg);
    const [, name, plus] = (elements ? null : OPENING.exec(text ?? "")) ?? [];
    if (name !== undefined) {
      elements = [];
      arrays.push({ type: "Assignment", name, value: null, append: plus === "+", array: elements });
    } else if (text === ARRAY_MARKS.close) elements = undefined;
    else if (text !== ARRAY_MARKS.newline) (elements ?? others).push(arg);
  }
  return { arrays, others };
}

const OPENING = new RegExp(`^(\\w+)(\\+?)=${ARRAY_MARKS.open}$`);

/** A script without the marks that are not those of its declarations' arrays. */
export function withoutStrayMarks<Node>(node: Node): Node {
  return withoutMarks(node) as Node;
}

function withoutMarks(node: unknown): unknown {
  if (typeof node === "string") return unmarkArrays(node);
  if (Array.isArray(node)) return node.map(withoutMarks);
  if (node === null || typeof node !== "object") return node;
  const entries = Object.entries(node).map(([name, value]) => [name, withoutMarks(value)]);
  const cleared = Object.fromEntries(entries);
  if (!isSimpleCommand(node) || !isDeclaring(node)) return cleared;
  return { ...cleared, args: node.args.map((arg) => (isMark(arg) ? arg : withoutMarks(arg))) };
}

function isSimpleCommand(node: object): node is SimpleCommandNode {
  return "type" in node && node.type === "SimpleCommand";
}

function isDeclaring({ name }: SimpleCommandNode): boolean {
  const text = constantText(name) ?? "";
  return SCOPED.has(text) || MARKING.has(text);
}

function isMark(arg: WordNode): boolean {
  const text = constantText(arg) ?? "";
  return OPENING.test(text) || text === ARRAY_MARKS.close || text === ARRAY_MARKS.newline;
}
