import type {
  Assignment,
  CommandNode,
  CommandOf,
  Expansion,
  PipelineNode,
  Redirection,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
  WordNode,
  WordPart,
} from "../just-bash.ts";
import { DESCRIPTORS, VARIABLES } from "./names.ts";

export function word(...parts: WordPart[]): WordNode {
  return { type: "Word", parts };
}

export function literal(value: string): WordNode {
  return word({ type: "Literal", value });
}

export function quoted(value: string): WordNode {
  return word({ type: "SingleQuoted", value });
}

export function doubleQuoted(...parts: WordPart[]): WordPart {
  return { type: "DoubleQuoted", parts };
}

/** "${name-fallback}" */
export function variable(name: string, fallback = ""): WordNode {
  return word(doubleQuoted(expansion(name, fallback)));
}

export function parameter(name: string, operation: Expansion["operation"] = null): Expansion {
  return { type: "ParameterExpansion", parameter: name, operation };
}

/** ${name-fallback}, which is no error under `set -u`. */
export function expansion(name: string, fallback = ""): Expansion {
  return parameter(name, { type: "DefaultValue", word: literal(fallback), checkEmpty: false });
}

export function substitution(statements: StatementNode[]): WordPart {
  return { type: "CommandSubstitution", body: script(statements), legacy: false };
}

export function simple(
  name: string | WordNode | null,
  args: readonly (string | WordNode)[] = [],
  rest: { assignments?: Assignment[]; redirections?: Redirection[] } = {},
): SimpleCommandNode {
  return {
    type: "SimpleCommand",
    name: typeof name === "string" ? literal(name) : name,
    args: args.map((arg) => (typeof arg === "string" ? literal(arg) : arg)),
    assignments: rest.assignments ?? [],
    redirections: rest.redirections ?? [],
  };
}

export function group(body: StatementNode[], redirections: Redirection[] = []): CommandOf<"Group"> {
  return { type: "Group", body, redirections };
}

export function ifElse(
  condition: StatementNode[],
  body: StatementNode[],
  elseBody: StatementNode[],
): CommandNode {
  return { type: "If", clauses: [{ condition, body }], elseBody, redirections: [] };
}

export function assignment(name: string, value: string | WordNode): Assignment {
  const given = typeof value === "string" ? literal(value) : value;
  return { type: "Assignment", name, value: given, append: false, array: null };
}

export function arrayAssignment(name: string, array: WordNode[]): Assignment {
  return { type: "Assignment", name, value: null, append: false, array };
}

/** Assignments that leave `$?` as it is. */
export function assign(assignments: Assignment[]): StatementNode {
  return keepingStatus(simple(null, [], { assignments }));
}

export function redirection(
  fd: number | null,
  operator: Redirection["operator"],
  target: string | number | WordNode,
): Redirection {
  const file = typeof target === "object" ? target : literal(String(target));
  return { type: "Redirection", fd, operator, target: file };
}

export function pipeline(commands: CommandNode[]): PipelineNode {
  return { type: "Pipeline", commands, negated: false };
}

export function statement(command: CommandNode): StatementNode {
  return { type: "Statement", pipelines: [pipeline([command])], operators: [], background: false };
}

export function list(first: CommandNode, operator: "&&" | "||", second: CommandNode): StatementNode {
  const pipelines = [pipeline([first]), pipeline([second])];
  return { type: "Statement", pipelines, operators: [operator], background: false };
}

export function script(statements: StatementNode[]): ScriptNode {
  return { type: "Script", statements };
}

/** A command that expands to nothing: does nothing, and leaves `$?` and `$_` as they are. */
function nothing(redirections: Redirection[] = []): SimpleCommandNode {
  return simple(word(expansion(VARIABLES.empty)), [], { redirections });
}

/**
 * Runs a command that answers with the `$?` that it finds, and keeps it from ending the shell under `set -e`: what
 * fails before `&&` does not.
 */
export function keepingStatus(command: SimpleCommandNode): StatementNode {
  return list(command, "&&", nothing());
}

/** Does nothing, and ends with the `$?` that it finds, which may end the shell under `set -e`. */
export function lastStatus(): StatementNode {
  return statement(nothing());
}

/** Does nothing, and ends with the `$?` that it finds. */
export function sameStatus(): StatementNode {
  return keepingStatus(nothing());
}

/** Reads a device, for what that brings about, and changes nothing else of the shell's state. */
export function touchDevice(path: string): StatementNode {
  return keepingStatus(nothing([redirection(0, "<", path)]));
}

export function evaluateVariable(name: string): StatementNode {
  const when = (then: WordNode) => parameter(name, { type: "UseAlternative", word: then, checkEmpty: true });
  const text = word(doubleQuoted(parameter(name)));
  return keepingStatus(simple(word(when(literal("eval"))), [word(when(text))]));
}

/** Opens the device on a descriptor of its own as the last thing before a builtin runs. */
export function deviceRedirection(path: string): Redirection {
  return redirection(DESCRIPTORS.device, "<", path);
}

/** The text of a word that holds no expansions; undefined: only running it tells. */
export function constantText(from: WordNode | null): string | undefined {
  if (!from) return undefined;
  let text = "";
  for (const part of from.parts) {
    const piece = constantPart(part);
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

function constantPart(part: WordPart): string | undefined {
  if (part.type === "DoubleQuoted") return constantText(word(...part.parts));
  return part.type === "Literal" || part.type === "SingleQuoted" || part.type === "Escaped"
    ? part.value
    : undefined;
}
