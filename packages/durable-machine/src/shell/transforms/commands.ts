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
  redirection,
  simple,
  statement,
  word,
} from "./ast.ts";
import { LIVE_READERS, readsWholeInput } from "./command-kinds.ts";
import { COMMAND_DIRECTORY, DEVICES, OWN_COMMANDS, VARIABLES } from "./names.ts";
import { routed } from "./redirections.ts";

const EMPTY_COMMAND = `\${${VARIABLES.empty}-}`;

/** Runs the handler that a command has left in a variable, if it has left one. */
const RUN_HANDLER = `\${${VARIABLES.handler}:+eval} \${${VARIABLES.handler}:+"$${VARIABLES.handler}"} && ${EMPTY_COMMAND}`;

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

/** Tells a script the path it is called by: just-bash makes it absolute. */
export function calledAs({ name }: SimpleCommandNode): Assignment[] {
  if (!name || someNode(name, (node) => isNode(node, "CommandSubstitution"))) return [];
  const text = constantText(name);
  return text === undefined || text.includes("/") ? [assignment(VARIABLES.calledAs, name)] : [];
}

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
 * Under `set -e`, just-bash ignores failures in the conditions of `if` and `while` however deep, but of those
 * in lists and negated commands only the last. So these are transformed into conditions.
 */
export function asCondition({ negated, ...item }: PipelineNode): PipelineNode {
  const condition = { ...statement(nothing()), pipelines: [{ ...item, negated: false }] };
  return { ...pipeline([ignoringFailures([condition])]), negated };
}

export function ignoringFailures(statements: StatementNode[]): CommandNode {
  const sameStatus = [keepingStatus(nothing())];
  return ifElse(statements, sameStatus, sameStatus);
}

/** Standard input in a function may be the process's own, or that of a pipe or redirection of the call. */
const IS_LIVE = `[[ -n \${${VARIABLES.liveInput}-} ]]`;

/** Lets a command read the process's input as it arrives: just-bash gives only what exists at the start. */
export function withLiveInput(command: SimpleCommandNode): CommandNode {
  const device = inputDevice(command);
  if (device === undefined) return withRoutes(command);
  const live = withRoutes({
    ...command,
    redirections: [redirection(0, "<", device), ...command.redirections],
  });
  return ifElse(fragment(IS_LIVE), [statement(live)], [statement(withRoutes(command))]);
}

function inputDevice(command: SimpleCommandNode): string | undefined {
  const name = constantText(command.name) ?? "";
  const base = name.slice(name.lastIndexOf("/") + 1);
  const args = command.args.map((arg) => constantText(arg));
  if (base === "read") return lineDevice(args);
  if (base === "mapfile" || base === "readarray") return args.includes("-u") ? undefined : DEVICES.wholeInput;
  if (LIVE_READERS.has(base)) return DEVICES.input;
  return readsWholeInput(base, args) ? DEVICES.wholeInput : undefined;
}

function lineDevice(args: readonly (string | undefined)[]): string | undefined {
  const parameters = new URLSearchParams();
  for (let index = 0; index < args.length; index++) {
    const [, option, attached] = /^-[A-Za-z]*?([adinNptu])(.*)$/s.exec(args[index] ?? "") ?? [];
    if (option === "u") return undefined;
    const value = option && (attached || args[++index]);
    if (value === undefined) continue;
    if (option === "d") parameters.set("d", String(value.length > 0 ? value.charCodeAt(0) : 0));
    if (option === "n" || option === "N") parameters.set(option, value);
    if (option === "t") parameters.set("t", String(Number(value) * 1000));
  }
  return `${DEVICES.inputLine}${parameters}`;
}
