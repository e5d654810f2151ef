import {
  assign,
  assignment,
  type CommandNode,
  group,
  keepingStatus,
  lastStatus,
  type PipelineNode,
  pipeline,
  type StatementNode,
  sameStatus,
  simple,
  statement,
  type WordNode,
} from "./ast.ts";
import { COMMAND_DIRECTORY, OWN_COMMANDS, VARIABLES } from "./names.ts";

/**
 * Failures that do not end the shell under `set -e`.
 *
 * The interpreter spares commands in the conditions of `if` and `while`, however deep; of a list, it spares only what
 * fails last. So lists are written as conditions.
 */

/** A stage of a list before its last one, or one that is negated: what fails in it is answered for. */
export function asCondition({ negated, ...item }: PipelineNode): PipelineNode {
  const condition: StatementNode = {
    type: "Statement",
    pipelines: [{ ...item, negated: false }],
    operators: [],
    background: false,
  };
  return { ...pipeline([spared([condition])]), negated };
}

/** Ends as the last of its statements does. */
function spared(statements: StatementNode[]): CommandNode {
  return {
    type: "If",
    clauses: [{ condition: statements, body: [sameStatus()] }],
    elseBody: [sameStatus()],
    redirections: [],
  };
}

/** The body of a function, whose failure is one of the command that calls it, whatever has brought it about. */
export function withOwnFailure(body: StatementNode[]): StatementNode[] {
  return [...body, lastStatus()];
}

/** A substitution's script, which is spared altogether. */
export function sparedSubstitution(statements: StatementNode[]): StatementNode[] {
  return [statement(spared(statements))];
}

/**
 * A loop's body after which `break` and `continue` count as success, as they are; the interpreter passes them over.
 *
 * @param readsStatus whether the body may ask for the `$?` that it finds.
 */
export function succeedingLoop(body: StatementNode[], readsStatus: boolean): StatementNode[] {
  const success = statement(simple(":"));
  if (!readsStatus) return [success, statement(group(body))];
  return [keepStatus(), success, statement(group([restoreStatus(), ...body]))];
}

function keepStatus(): StatementNode {
  const status: WordNode = {
    type: "Word",
    parts: [{ type: "ParameterExpansion", parameter: "?", operation: null }],
  };
  return assign([assignment(VARIABLES.statusBefore, status)]);
}

function restoreStatus(): StatementNode {
  const status: WordNode = {
    type: "Word",
    parts: [{ type: "ParameterExpansion", parameter: VARIABLES.statusBefore, operation: null }],
  };
  return keepingStatus(simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.status}`, [status]));
}
