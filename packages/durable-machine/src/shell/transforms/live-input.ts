import type { CommandNode, SimpleCommandNode } from "../just-bash.ts";
import { constantText, fragment, ifElse, redirection, statement } from "./ast.ts";
import { LIVE_READERS, readsWholeInput } from "./command-kinds.ts";
import { DEVICES, VARIABLES } from "./names.ts";

/** Standard input inside of a function may be the process's own, or that of a pipe or redirection around its call. */
const IS_LIVE = `[[ -n \${${VARIABLES.liveInput}-} ]]`;

/**
 * Has a command read the process's own input as it arrives: just-bash gives commands only input that is there before
 * they start.
 *
 * @param route makes the rest of the command.
 */
export function withLiveInput(
  command: SimpleCommandNode,
  route: (command: SimpleCommandNode) => SimpleCommandNode,
): CommandNode {
  const device = inputDevice(command);
  if (device === undefined) return route(command);
  const live = route({ ...command, redirections: [redirection(0, "<", device), ...command.redirections] });
  return ifElse(fragment(IS_LIVE), [statement(live)], [statement(route(command))]);
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

/** The device that gives what `read` with these arguments reads from standard input. */
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
