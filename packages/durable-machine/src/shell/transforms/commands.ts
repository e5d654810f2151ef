import {
  type Assignment,
  type CommandNode,
  isNode,
  type PipelineNode,
  type Redirection,
  type ScriptNode,
  type SimpleCommandNode,
  type StatementNode,
  someNode,
} from "../just-bash.ts";
import {
  assignment,
  constantText,
  EMPTY,
  fragment,
  group,
  ifElse,
  keepingStatus,
  list,
  nothing,
  pipeline,
  simple,
  statement,
  word,
} from "./ast.ts";
import { COMMAND_DIRECTORY, OWN_COMMANDS, VARIABLES } from "./names.ts";
import { routed } from "./redirections.ts";

const EMPTY_COMMAND = `\${${VARIABLES.empty}-}`;

/** Runs the handler that a command has left in a variable, if it has left one. */
const RUN_HANDLER = `\${${VARIABLES.handler}:+eval} \${${VARIABLES.handler}:+"$${VARIABLES.handler}"} && ${EMPTY_COMMAND}`;

/** Runs the handlers of signals that have arrived. */
export const CHECK_SIGNALS = `${COMMAND_DIRECTORY}/${OWN_COMMANDS.checkSignals} && ${EMPTY_COMMAND}; ${RUN_HANDLER}`;

export function exit(command: SimpleCommandNode): CommandNode {
  const prepare = simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.prepareExit}`, command.args);
  return group([
    keepingStatus(withRoutes(prepare)),
    ...fragment(`${RUN_HANDLER}; exit "\${${VARIABLES.status}-}"`),
  ]);
}

export function withRoutes(command: SimpleCommandNode): SimpleCommandNode {
  return { ...command, redirections: routed(command.redirections) };
}

/** A command without a name. */
export function bare(command: SimpleCommandNode): CommandNode {
  if (command.redirections.length === 0) return command;
  const opened = { ...withRoutes(command), assignments: [] };
  if (command.assignments.length === 0) return opened;
  // With redirections, just-bash does not return the status of substitutions.
  return group([list(opened, "&&", { ...command, redirections: [] })]);
}

/** just-bash expands a name to several words, or to none, only if it is an argument of an empty name. */
export function withSplitName(command: SimpleCommandNode): SimpleCommandNode {
  const { name, args } = command;
  const isExpanded = name?.parts.some(
    ({ type }) => type === "ParameterExpansion" || type === "CommandSubstitution",
  );
  return name && isExpanded ? { ...command, name: word(EMPTY), args: [name, ...args] } : command;
}

/** Tells a script the path by which it is called: just-bash makes it absolute. */
export function calledAs({ name }: SimpleCommandNode): Assignment[] {
  if (!name || someNode(name, (node) => isNode(node, "CommandSubstitution"))) return [];
  const text = constantText(name);
  return text === undefined || text.includes("/") ? [assignment(VARIABLES.calledAs, name)] : [];
}

/** The command that is all of a script. */
export function onlyCommand({ statements: [only, ...others] }: ScriptNode): CommandNode | undefined {
  if (!only || others.length > 0 || only.background || only.pipelines.length > 1) return undefined;
  const [pipeline] = only.pipelines;
  return pipeline?.negated || pipeline?.commands.length !== 1 ? undefined : pipeline.commands[0];
}

export function redirected(
  before: readonly Redirection[],
  command: CommandNode,
  after: readonly Redirection[] = [],
): CommandNode {
  const redirections = [...before, ...command.redirections, ...after];
  return command.type === "FunctionDef" ? command : ({ ...command, redirections } as CommandNode);
}

/**
 * Under `set -e`, just-bash ignores failures in the conditions of `if` and `while` however deep, but of those in
 * lists and negated commands only the last. So these are transformed into conditions.
 */
export function asCondition({ negated, ...item }: PipelineNode): PipelineNode {
  const condition = { ...statement(nothing()), pipelines: [{ ...item, negated: false }] };
  return { ...pipeline([ignoringFailures([condition])]), negated };
}

/** Runs statements, in which failures do not end the shell. */
export function ignoringFailures(statements: StatementNode[]): CommandNode {
  const sameStatus = [keepingStatus(nothing())];
  return ifElse(statements, sameStatus, sameStatus);
}
