import type { CommandNode, SimpleCommandNode } from "../just-bash.ts";
import { constantText, expansion, ifElse, redirection, statement, word } from "./ast.ts";
import { LIVE_READERS, readsWholeInput } from "./command-kinds.ts";
import type { Context } from "./context.ts";
import { DEVICES, VARIABLES } from "./names.ts";
import { changedStreams } from "./redirections.ts";

/**
 * Has a command read the process's own input as it comes. The interpreter itself gives commands only input that is
 * there before they start.
 *
 * @param make makes the rest of the command.
 */
export function withLiveInput(
  command: SimpleCommandNode,
  name: string,
  context: Context,
  make: (command: SimpleCommandNode) => SimpleCommandNode,
): CommandNode {
  const device = inputDevice(command, name);
  if (device === undefined || context.input === "own" || changedStreams(command.redirections).stdin) {
    return make(command);
  }
  const live = make({ ...command, redirections: [redirection(0, "<", device), ...command.redirections] });
  if (context.input === "live") return live;
  const isLive: CommandNode = {
    type: "ConditionalCommand",
    expression: { type: "CondUnary", operator: "-n", operand: word(expansion(VARIABLES.liveInput)) },
    redirections: [],
  };
  return ifElse([statement(isLive)], [statement(live)], [statement(make(command))]);
}

function inputDevice(command: SimpleCommandNode, name: string): string | undefined {
  const base = name.slice(name.lastIndexOf("/") + 1);
  const args = command.args.map((arg) => constantText(arg));
  if (base === "read") return lineDevice(args);
  if (base === "mapfile" || base === "readarray") return args.includes("-u") ? undefined : DEVICES.wholeInput;
  if (LIVE_READERS.has(base)) return DEVICES.input;
  return readsWholeInput(base, args) ? DEVICES.wholeInput : undefined;
}

/** The device that gives what `read` with these arguments takes; undefined: it takes nothing from standard input. */
function lineDevice(args: readonly (string | undefined)[]): string | undefined {
  const parameters = new URLSearchParams();
  for (let index = 0; index < args.length; index++) {
    // Options with a value, which may follow those without.
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
