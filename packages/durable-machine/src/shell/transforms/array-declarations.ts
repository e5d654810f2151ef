import {
  type Assignment,
  type CommandNode,
  parseCommand,
  type SimpleCommandNode,
  type WordNode,
} from "../just-bash.ts";
import { assign, constantText, group, list, literal, simple, statement } from "./ast.ts";

const DECLARING: ReadonlySet<string | undefined> = new Set(["declare", "local", "typeset"]);
const MARKING: ReadonlySet<string | undefined> = new Set(["export", "readonly"]);

/**
 * `declare a=("$@")` as a declaration and an assignment: just-bash parses the array as one word without its
 * substitutions and quotes. `source` is the text of the statement that the command is from.
 */
export function withArrays(command: CommandNode, source: string | undefined): CommandNode {
  if (command.type !== "SimpleCommand") return command;
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
  const assignments = arrays.map((array) => list(assign([array]), "||", simple(":")));
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
