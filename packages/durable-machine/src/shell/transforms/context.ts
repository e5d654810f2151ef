import type { Assignment, WordNode } from "../just-bash.ts";
import { assignment, expansion, literal, word } from "./ast.ts";
import { DESCRIPTORS, VARIABLES } from "./names.ts";
import type { ChangedStreams } from "./redirections.ts";

/**
 * Where one of a command's output streams goes.
 *
 * - "inherited": to the descriptor that a variable names. So it is in functions, which do not know who calls them, and
 *   wherever the variable can be set for good, because a subshell's variables end with it.
 * - "scope": to the descriptor that an enclosing redirected compound command has opened.
 * - "natural": to the interpreter, which hands it on: to a pipe, or to a substitution.
 */
export type Route = "inherited" | "scope" | "natural";

export interface Context {
  stdout: Route;
  stderr: Route;
  /**
   * Standard input: the process's own, that of a pipe or redirection, or whatever a function's caller has; which of
   * the first two, a variable says.
   */
  input: "live" | "own" | "inherited";
}

export const INHERITED: Context = { stdout: "inherited", stderr: "inherited", input: "inherited" };

/** What a script finds that a bundled command runs, which takes its output. */
export const NESTED: Context = { stdout: "natural", stderr: "natural", input: "own" };

/** A word that expands to the number of the descriptor of a stream. */
export function descriptorWord(stream: "stdout" | "stderr", route: Route): WordNode {
  switch (route) {
    case "inherited":
      return word(expansion(VARIABLES[stream], stream === "stdout" ? "1" : "2"));
    case "scope":
      return literal(String(stream === "stdout" ? DESCRIPTORS.scopeStdout : DESCRIPTORS.scopeStderr));
    case "natural":
      return literal(stream === "stdout" ? "1" : "2");
  }
}

/** Assignments that tell functions that run with them where their output goes. */
export function announce(context: Context): Assignment[] {
  const assignments: Assignment[] = [];
  for (const stream of ["stdout", "stderr"] as const) {
    if (context[stream] !== "inherited") {
      assignments.push(assignment(VARIABLES[stream], descriptorWord(stream, context[stream])));
    }
  }
  if (context.input === "own") assignments.push(assignment(VARIABLES.liveInput, ""));
  return assignments;
}

export function descriptorWords({ stdout, stderr }: Context): { stdout: WordNode; stderr: WordNode } {
  return { stdout: descriptorWord("stdout", stdout), stderr: descriptorWord("stderr", stderr) };
}

/** What a command finds inside of redirections. */
export function insideRedirections(context: Context, changed: ChangedStreams): Context {
  return {
    stdout: changed.stdout ? "scope" : context.stdout,
    stderr: changed.stderr ? "scope" : context.stderr,
    input: changed.stdin ? "own" : context.input,
  };
}
