import type { Assignment, CommandNode, Redirection, SimpleCommandNode, WordNode } from "../just-bash.ts";
import {
  assign,
  assignment,
  constantText,
  deviceRedirection,
  evaluateVariable,
  expansion,
  group,
  keepingStatus,
  list,
  literal,
  simple,
  statement,
  variable,
  word,
} from "./ast.ts";
import {
  CALLING_BUILTINS,
  CONTROL_BUILTINS,
  DIRECT_COMMANDS,
  REPLACED_BUILTINS,
  SILENT_BUILTINS,
} from "./command-kinds.ts";
import { announce, type Context, descriptorWord, descriptorWords, insideRedirections } from "./context.ts";
import { DirectoryGlobs, hasDirectoryGlobs } from "./directory-globs.ts";
import { withLiveInput } from "./live-input.ts";
import { COMMAND_DIRECTORY, DESCRIPTORS, DEVICES, OWN_COMMANDS, VARIABLES } from "./names.ts";
import {
  type ChangedStreams,
  changedStreams,
  EXEC_STREAMS,
  moveRedirections,
  routeTo,
  SCOPE_STREAMS,
} from "./redirections.ts";
import type { ScriptTransform } from "./script-transform.ts";

/** The part of {@link ScriptTransform} that is for commands of one line; their words are transformed before. */
export class SimpleCommandTransform {
  readonly #script: ScriptTransform;

  constructor(script: ScriptTransform) {
    this.#script = script;
  }

  /** Whether a command is a call of a program or an ordinary builtin, which writes what it writes to its own streams. */
  isProgramCall(command: SimpleCommandNode): boolean {
    if (hasDirectoryGlobs(command)) return false;
    const name = constantText(command.name);
    if (name === undefined) return command.name === null;
    if (CALLING_BUILTINS.has(name) || name === "exec" || name === "exit") return false;
    return this.#isProgram(name);
  }

  #isProgram(name: string): boolean {
    return this.#script.isProgram(name.startsWith("/") ? baseName(name) : name);
  }

  transform(written: SimpleCommandNode, context: Context): CommandNode {
    const command = withSplitName(written);
    if (hasDirectoryGlobs(command)) return this.#withDirectories(command, context);
    const name = constantText(command.name);
    if (command.name === null) return this.#bare(command, context);
    if (name === "exec") return this.#exec(command, context);
    if (name === "exit") return exit(command);
    if (name === "eval") return this.#eval(command, context);
    if (name === "." || name === "source") {
      const called = this.#call(command, context);
      return { ...called, redirections: [...called.redirections, deviceRedirection(DEVICES.source)] };
    }
    if (name !== undefined && CONTROL_BUILTINS.has(name)) return command;
    if (!this.isProgramCall(command)) return this.#call(command, context);
    const renamed = name !== undefined && REPLACED_BUILTINS.has(name) ? rename(command, name) : command;
    if (!this.#script.takesInput || name === undefined) return this.#program(renamed, name, context);
    return withLiveInput(renamed, name, context, (each) => this.#program(each, name, context));
  }

  #withDirectories(command: SimpleCommandNode, context: Context): CommandNode {
    const globs = new DirectoryGlobs();
    const args = globs.replace(command.args);
    const assignments = command.assignments.map((each) => ({
      ...each,
      array: each.array && globs.replace(each.array),
    }));
    const rest = this.transform({ ...command, args, assignments }, context);
    return group([...globs.before, statement(rest)]);
  }

  #bare(command: SimpleCommandNode, context: Context): CommandNode {
    if (command.redirections.length === 0) return command;
    const redirections = moveRedirections(command.redirections, SCOPE_STREAMS, descriptorWords(context));
    if (command.assignments.length === 0) return { ...command, redirections };
    // With redirections, the interpreter forgets what the substitutions have ended with.
    const opened = { ...command, assignments: [], redirections };
    return group([list(opened, "&&", { ...command, redirections: [] })]);
  }

  #program(command: SimpleCommandNode, name: string | undefined, context: Context): SimpleCommandNode {
    if (name !== undefined && SILENT_BUILTINS.has(name) && command.redirections.length === 0) return command;
    const isDirect = name !== undefined && DIRECT_COMMANDS.has(name);
    const changed = changedStreams(command.redirections);
    const streams = insideRedirections(context, changed);
    return {
      ...command,
      assignments: [...(isDirect ? directMarks(streams) : []), ...command.assignments],
      redirections: this.#redirections(command.redirections, context, changed),
    };
  }

  /** A call of what may be a function, or run one: it learns of its streams by variables. */
  #call(command: SimpleCommandNode, context: Context): SimpleCommandNode {
    const changed = changedStreams(command.redirections);
    const outer = outerStreams(context, changed);
    return {
      ...command,
      assignments: [
        ...outer.assignments,
        ...announce(insideRedirections(context, changed)),
        ...nameOf(command),
        ...command.assignments,
      ],
      redirections: this.#redirections(command.redirections, context, changed, outer.words),
    };
  }

  /**
   * A command's own redirections behind those of its context. Its output is opened on descriptors of the shell's:
   * an error in opening 1 or 2 themselves would end the script.
   */
  #redirections(
    redirections: readonly Redirection[],
    context: Context,
    changed: ChangedStreams,
    current = descriptorWords(context),
  ): Redirection[] {
    const streams = insideRedirections(context, changed);
    const route = (stream: "stdout" | "stderr") =>
      streams[stream] === "natural" ? undefined : descriptorWord(stream, streams[stream]);
    return [
      ...moveRedirections(redirections, SCOPE_STREAMS, current),
      ...routeTo(route("stdout"), route("stderr")),
    ];
  }

  /** `exec`: with a command, its end is the shell's; without, the redirections are for all that follows. */
  #exec(command: SimpleCommandNode, context: Context): CommandNode {
    if (command.args.length > 0) {
      const called: SimpleCommandNode = { ...command, name: literal("command") };
      return group([statement(this.transform(called, context)), statement(exit(simple("exit")))]);
    }
    const changed = changedStreams(command.redirections);
    const moved = moveRedirections(command.redirections, EXEC_STREAMS, descriptorWords(context));
    const names: Assignment[] = [];
    if (changed.stdout) names.push(assignment(VARIABLES.stdout, String(DESCRIPTORS.execStdout)));
    if (changed.stderr) names.push(assignment(VARIABLES.stderr, String(DESCRIPTORS.execStderr)));
    if (changed.stdin) names.push(assignment(VARIABLES.liveInput, ""));
    const opened = { ...command, redirections: moved };
    return names.length === 0 ? opened : group([statement(opened), assign(names)]);
  }

  /** `eval`: what it is to run is made known first, and transformed then. */
  #eval(command: SimpleCommandNode, context: Context): CommandNode {
    if (command.args.length === 0) return command;
    const prepare = simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.prepareEval}`, command.args);
    const evaluate: SimpleCommandNode = {
      ...command,
      args: [variable(VARIABLES.evaluated)],
    };
    return group([keepingStatus(prepare), statement(this.#call(evaluate, context))]);
  }
}

export function exit(command: SimpleCommandNode): CommandNode {
  const prepare = simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.prepareExit}`, command.args, {
    redirections: routeTo(undefined, descriptorWord("stderr", "inherited")),
  });
  return group([
    keepingStatus(prepare),
    evaluateVariable(VARIABLES.handler),
    statement(simple("exit", [variable(VARIABLES.status)])),
  ]);
}

/**
 * A name that may expand to several words, or to none, among the arguments, behind a name that is none: only there does
 * the interpreter split it.
 */
function withSplitName(command: SimpleCommandNode): SimpleCommandNode {
  const { name } = command;
  if (!name?.parts.some(({ type }) => type === "ParameterExpansion" || type === "CommandSubstitution"))
    return command;
  return {
    ...command,
    name: word(expansion(VARIABLES.empty)),
    args: [name, ...command.args],
  };
}

function rename(command: SimpleCommandNode, name: string): SimpleCommandNode {
  return { ...command, name: literal(`${COMMAND_DIRECTORY}/${name}`) };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * The descriptors of a call's context, as the call's own redirections find them: these come after the assignments
 * that tell the function of others.
 */
function outerStreams(
  context: Context,
  changed: ChangedStreams,
): { assignments: Assignment[]; words: { stdout: WordNode; stderr: WordNode } } {
  const words = descriptorWords(context);
  const assignments: Assignment[] = [];
  for (const stream of ["stdout", "stderr"] as const) {
    if (!changed[stream] || context[stream] !== "inherited") continue;
    const name = stream === "stdout" ? VARIABLES.outerStdout : VARIABLES.outerStderr;
    assignments.push(assignment(name, words[stream]));
    words[stream] = variable(name);
  }
  return { assignments, words };
}

/** Tells a script by which name it is called: the interpreter only knows its path. */
function nameOf({ name: given, args: [first] }: SimpleCommandNode): Assignment[] {
  const name = given && constantText(given) === undefined && first ? first : given;
  if (!name || name.parts.some(({ type }) => type === "CommandSubstitution")) return [];
  const text = constantText(name);
  return text === undefined || text.includes("/") ? [assignment(VARIABLES.calledAs, name)] : [];
}

/** Tells a command the descriptors that it may write to by itself. */
function directMarks(context: Context): Assignment[] {
  const marks: Assignment[] = [];
  if (context.stdout !== "natural") {
    marks.push(assignment(VARIABLES.direct, descriptorWord("stdout", context.stdout)));
  }
  if (context.stderr !== "natural") {
    marks.push(assignment(VARIABLES.directError, descriptorWord("stderr", context.stderr)));
  }
  return marks;
}
