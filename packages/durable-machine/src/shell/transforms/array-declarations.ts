import {
  type Assignment,
  type CommandNode,
  parseCommand,
  type SimpleCommandNode,
  type StatementNode,
  type WordNode,
} from "../just-bash.ts";
import {
  arrayAssignment,
  constantText,
  doubleQuoted,
  group,
  list,
  literal,
  parameter,
  simple,
  statement,
  word,
} from "./ast.ts";
import { VARIABLES } from "./names.ts";

/** Declare, and assign after that. */
const SCOPED: ReadonlySet<string | undefined> = new Set(["declare", "local", "typeset"]);

/** Declare what has been assigned. */
const MARKING: ReadonlySet<string | undefined> = new Set(["export", "readonly"]);

/**
 * `declare a=("$@")` as declarations and assignments: the parser keeps the array as one word, without its
 * substitutions and quotes.
 *
 * @param source the text of the statement that the command is of.
 */
export function withArrays(command: CommandNode, source: string | undefined): CommandNode {
  if (command.type !== "SimpleCommand") return command;
  const given = constantText(command.name);
  if (!SCOPED.has(given) && !MARKING.has(given)) return command;
  const arrays: Assignment[] = [];
  const others: WordNode[] = [];
  for (const arg of command.args) {
    const array = source === undefined ? undefined : declaredArray(arg, source);
    if (array) arrays.push(array);
    else others.push(arg);
  }
  // The interpreter's `local` ignores flags that its `declare` knows, which is the same within a function.
  const name = given === "local" && others.some((arg) => hasFlag(arg, /[Ailu]/)) ? "declare" : given;
  const renamed: SimpleCommandNode = { ...command, name: literal(name ?? "") };
  if (arrays.length === 0) return name === given ? command : renamed;
  if (MARKING.has(name)) {
    const names = arrays.map((array) => literal(array.name));
    return group([...arrays.map(always), statement({ ...renamed, args: [...others, ...names] })]);
  }
  // What is read-only from its declaration on could not be assigned to.
  const flags = others.filter((arg) => hasFlag(arg, /./)).flatMap(withoutReadOnly);
  const body = arrays.flatMap((array) => declareArray(renamed, flags, array));
  // Whatever a function makes read-only is so in its next call too.
  if (given !== "local" && others.some((arg) => hasFlag(arg, /r/))) {
    body.push(
      statement(
        simple(
          "readonly",
          arrays.map((array) => array.name),
        ),
      ),
    );
  }
  if (others.some((arg) => !hasFlag(arg, /./))) body.push(statement({ ...renamed, args: others }));
  return group(body);
}

/** The array that an argument of a declaration stands for, parsed as an assignment of its own. */
function declaredArray({ parts: [first] }: WordNode, source: string): Assignment | undefined {
  const [, name, plus = ""] = (first?.type === "Literal" && /^(\w+)(\+?)=\(/.exec(first.value)) || [];
  if (name === undefined) return undefined;
  const opening = `${name}${plus && "\\+"}=\\(`;
  const before = new RegExp(
    `\\b(?:declare|local|typeset|export|readonly)\\s(?:.*?\\s)??(?=${opening})`,
    "s",
  ).exec(source);
  const command = before && parseCommand(source.slice(before.index + before[0].length));
  return command?.type === "SimpleCommand" ? command.assignments[0] : undefined;
}

function declareArray(
  { name }: SimpleCommandNode,
  flags: readonly WordNode[],
  array: Assignment,
): StatementNode[] {
  const declare = (value: string) => statement(simple(name, [...flags, `${array.name}${value}`]));
  if (array.append || hasKeys(array)) return [declare(""), always(array)];
  // Elements come from before the declaration, which may hide a variable that they name.
  const elements = word(doubleQuoted(parameter(`${VARIABLES.array}[@]`)));
  const kept = { ...array, name: VARIABLES.array };
  return [always(kept), declare("=()"), always(arrayAssignment(array.name, [elements]))];
}

/** An assignment of which substitutions may fail: a declaration does not for that. */
function always(array: Assignment): StatementNode {
  return list(simple(null, [], { assignments: [array] }), "||", simple(":"));
}

function hasFlag(arg: WordNode, letters: RegExp): boolean {
  const text = constantText(arg) ?? "";
  return /^[-+]/.test(text) && letters.test(text);
}

function withoutReadOnly(arg: WordNode): WordNode[] {
  const flags = (constantText(arg) ?? "").replaceAll("r", "");
  return /^[-+]$/.test(flags) ? [] : [literal(flags)];
}

function hasKeys({ array }: Assignment): boolean {
  return (
    array?.some(({ parts: [first] }) => first?.type === "Glob" && first.pattern.startsWith("[")) ?? false
  );
}
