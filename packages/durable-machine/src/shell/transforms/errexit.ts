import type { CommandNode, PipelineNode, StatementNode } from "../just-bash.ts";
import {
  assign,
  assignment,
  group,
  ifElse,
  keepingStatus,
  parameter,
  pipeline,
  sameStatus,
  simple,
  statement,
  word,
} from "./ast.ts";
import { COMMAND_DIRECTORY, OWN_COMMANDS, VARIABLES } from "./names.ts";

/**
 * Failures that do not end the shell under `set -e`. The interpreter ignores those of commands in the conditions of
 * `if` and `while`, however deep; of a list, it ignores only what fails last. So lists are written as conditions.
 */

/** A stage of a list before its last one, or one that is negated: what fails in it does not end the shell. */
export function asCondition({ negated, ...item }: PipelineNode): PipelineNode {
  const condition: StatementNode = {
    type: "Statement",
    pipelines: [{ ...item, negated: false }],
    operators: [],
    background: false,
  };
  return { ...pipeline([ignoringFailures([condition])]), negated };
}

function ignoringFailures(statements: StatementNode[]): CommandNode {
  return ifElse(statements, [sameStatus()], [sameStatus()]);
}

/** The script of a substitution, in which failures do not end the shell. */
export function substitutionIgnoringFailures(statements: StatementNode[]): StatementNode[] {
  return [statement(ignoringFailures(statements))];
}

/**
 * A loop's body after which `break` and `continue` count as success; the interpreter leaves `$?` as it was.
 *
 * @param readsStatus whether the body may ask for the `$?` that it finds.
 */
export function succeedingLoop(body: StatementNode[], readsStatus: boolean): StatementNode[] {
  const success = statement(simple(":"));
  if (!readsStatus) return [success, statement(group(body))];
  const keep = assign([assignment(VARIABLES.statusBefore, word(parameter("?")))]);
  const status = simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.status}`, [
    word(parameter(VARIABLES.statusBefore)),
  ]);
  return [keep, success, statement(group([keepingStatus(status), ...body]))];
}
