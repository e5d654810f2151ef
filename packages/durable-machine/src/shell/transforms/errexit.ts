import type { CommandNode, PipelineNode, StatementNode } from "../just-bash.ts";
import { ifElse, keepingStatus, nothing, pipeline } from "./ast.ts";

/**
 * Under `set -e`, just-bash ignores failures in the conditions of `if` and `while` however deep, but of those in
 * lists and negated commands only the last. So these are transformed into conditions.
 */
export function asCondition({ negated, ...item }: PipelineNode): PipelineNode {
  const condition: StatementNode = {
    type: "Statement",
    pipelines: [{ ...item, negated: false }],
    operators: [],
    background: false,
  };
  return { ...pipeline([ignoringFailures([condition])]), negated };
}

/** Runs statements, in which failures do not end the shell. */
export function ignoringFailures(statements: StatementNode[]): CommandNode {
  const sameStatus = [keepingStatus(nothing())];
  return ifElse(statements, sameStatus, sameStatus);
}
