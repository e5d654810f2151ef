import type {
  CommandNode,
  PipelineNode,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
  WordNode,
} from "just-bash";
import { DESCRIPTORS, VARIABLES } from "./names.ts";

export type { CommandNode, PipelineNode, ScriptNode, SimpleCommandNode, StatementNode, WordNode };
export type WordPart = WordNode["parts"][number];
export type Redirection = SimpleCommandNode["redirections"][number];
export type Assignment = SimpleCommandNode["assignments"][number];
export type FunctionDefinition = Extract<CommandNode, { type: "FunctionDef" }>;
export type CompoundCommand = FunctionDefinition["body"];
export type CommandOf<Type extends CommandNode["type"]> = Extract<CommandNode, { type: Type }>;

export function literal(value: string): WordNode {
  return { type: "Word", parts: [{ type: "Literal", value }] };
}

export function quoted(value: string): WordNode {
  return { type: "Word", parts: [{ type: "SingleQuoted", value }] };
}

/** "${name-fallback}" */
export function variable(name: string, fallback = ""): WordNode {
  return { type: "Word", parts: [{ type: "DoubleQuoted", parts: [expansion(name, fallback)] }] };
}

/** ${name-fallback}, which works where unset variables are errors too. */
export function expansion(name: string, fallback = ""): WordPart {
  return {
    type: "ParameterExpansion",
    parameter: name,
    operation: { type: "DefaultValue", word: literal(fallback), checkEmpty: false },
  };
}

export function simple(
  name: string | WordNode | null,
  args: (string | WordNode)[] = [],
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

export function assignment(name: string, value: string | WordNode): Assignment {
  return {
    type: "Assignment",
    name,
    value: typeof value === "string" ? literal(value) : value,
    append: false,
    array: null,
  };
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
  return {
    type: "Redirection",
    fd,
    operator,
    target: typeof target === "object" ? target : literal(String(target)),
  };
}

export function pipeline(commands: CommandNode[]): PipelineNode {
  return { type: "Pipeline", commands, negated: false };
}

export function statement(command: CommandNode): StatementNode {
  return { type: "Statement", pipelines: [pipeline([command])], operators: [], background: false };
}

/** A command that expands to nothing: does nothing, and leaves `$?` and `$_` as they are. */
function nothing(redirections: Redirection[] = []): SimpleCommandNode {
  return simple({ type: "Word", parts: [expansion(VARIABLES.empty)] }, [], { redirections });
}

/**
 * Runs a command that answers with the `$?` that it finds, and keeps it from ending the shell under `set -e`: what
 * fails before `&&` does not.
 */
export function keepingStatus(command: SimpleCommandNode): StatementNode {
  return {
    type: "Statement",
    pipelines: [pipeline([command]), pipeline([nothing()])],
    operators: ["&&"],
    background: false,
  };
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

/** Runs what a variable holds, if anything. */
export function evaluateVariable(name: string): StatementNode {
  const when = (word: WordNode): WordPart => ({
    type: "ParameterExpansion",
    parameter: name,
    operation: { type: "UseAlternative", word, checkEmpty: true },
  });
  const text: WordPart = {
    type: "DoubleQuoted",
    parts: [{ type: "ParameterExpansion", parameter: name, operation: null }],
  };
  return keepingStatus(
    simple({ type: "Word", parts: [when(literal("eval"))] }, [
      { type: "Word", parts: [when({ type: "Word", parts: [text] })] },
    ]),
  );
}

/** Opens the device on a descriptor of its own as the last thing before a builtin runs. */
export function deviceRedirection(path: string): Redirection {
  return redirection(DESCRIPTORS.device, "<", path);
}

/** The text of a word that holds no expansions; undefined: only running it tells. */
export function constantText(word: WordNode | null): string | undefined {
  if (!word) return undefined;
  let text = "";
  for (const part of word.parts) {
    const piece = constantPart(part);
    if (piece === undefined) return undefined;
    text += piece;
  }
  return text;
}

function constantPart(part: WordPart): string | undefined {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "Escaped":
      return part.value;
    case "DoubleQuoted":
      return constantText({ type: "Word", parts: part.parts });
    default:
      return undefined;
  }
}
