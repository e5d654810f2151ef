import { COMMAND_DIRECTORY, OWN_COMMANDS, VARIABLES } from "./transforms/names.ts";

/** Commands that leave `$?` at a code. */
export function statusText(code: number): string {
  return `${COMMAND_DIRECTORY}/${OWN_COMMANDS.status} ${code} && \${${VARIABLES.empty}-}`;
}
