import {
  type Assignment,
  type CommandNode,
  type CommandOf,
  type Expansion,
  type PipelineNode,
  parseAtOnce,
  type Redirection,
  type ScriptNode,
  type SimpleCommandNode,
  type StatementNode,
  type WordNode,
  type WordPart,
} from "../just-bash.ts";
import { VARIABLES } from "./names.ts";

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

export function parameter(name: string, operation: Expansion["operation"] = null): Expansion {
  return { type: "ParameterExpansion", parameter: name, operation };
}

/** `${name-}`, which is not an error under `set -u`. */
function optional(name: string): Expansion {
  return parameter(name, { type: "DefaultValue", word: literal(""), checkEmpty: false });
}

export const EMPTY: Expansion = optional(VARIABLES.empty);

export function variable(name: string): WordNode {
  return word(doubleQuoted(optional(name)));
}

export function substitution(statements: StatementNode[]): WordPart {
  return { type: "CommandSubstitution", body: script(statements), legacy: false };
}

export function simple(
  name: string | WordNode | null,
  args: readonly (string | WordNode)[] = [],
): SimpleCommandNode {
  return {
    type: "SimpleCommand",
    name: typeof name === "string" ? literal(name) : name,
    args: args.map((arg) => (typeof arg === "string" ? literal(arg) : arg)),
    assignments: [],
    redirections: [],
  };
}

export function assign(assignments: Assignment[]): SimpleCommandNode {
  return { ...simple(null), assignments };
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

export function assignment(name: string, value: WordNode): Assignment {
  return { type: "Assignment", name, value, append: false, array: null };
}

export function arrayAssignment(name: string, array: WordNode[]): Assignment {
  return { type: "Assignment", name, value: null, append: false, array };
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

/** A command that expands to nothing: it leaves `$?` and `$_` as they are. */
export function nothing(redirections: Redirection[] = []): SimpleCommandNode {
  return { ...simple(word(EMPTY)), redirections };
}

/** Runs a command that returns the `$?` it finds. The list keeps it from ending the shell under `set -e`. */
export function keepingStatus(command: SimpleCommandNode): StatementNode {
  return list(command, "&&", nothing());
}

export function touchDevice(path: string): StatementNode {
  return keepingStatus(nothing([redirection(0, "<", path)]));
}

const parsedTexts = new Map<string, StatementNode[]>();

/** The statements of a text, which is one of a few: they are parsed once. */
export function fragment(text: string): StatementNode[] {
  const statements = parsedTexts.get(text) ?? parseAtOnce(text)?.statements;
  if (!statements) throw new Error(`syntax error in ${text}`);
  parsedTexts.set(text, statements);
  return statements;
}

/** The text of a word without expansions; undefined if it has some. */
export function constantText(from: WordNode | null): string | undefined {
  if (!from) return undefined;
  let text = "";
  for (const part of from.parts) {
    const isConstant = part.type === "Literal" || part.type === "SingleQuoted" || part.type === "Escaped";
    const quotedParts = part.type === "DoubleQuoted" ? word(...part.parts) : null;
    const piece = isConstant ? part.value : constantText(quotedParts);
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}
