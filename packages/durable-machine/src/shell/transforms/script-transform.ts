import { isProgram } from "../command-names.ts";
import {
  type Assignment,
  type CommandNode,
  type CompoundCommand,
  type FunctionDefinition,
  hasParameter,
  hasWord,
  isNode,
  type PipelineNode,
  type Redirection,
  type ScriptNode,
  type StatementNode,
  someNode,
  type WordNode,
} from "../just-bash.ts";
import type { ScriptRegistry } from "../script-registry.ts";
import { hoistExpansions, needsHoisting } from "./arithmetic.ts";
import { withArrays } from "./array-declarations.ts";
import {
  assign,
  assignment,
  doubleQuoted,
  evaluateVariable,
  group,
  keepingStatus,
  lastStatus,
  parameter,
  redirection,
  script,
  simple,
  statement,
  substitution,
  touchDevice,
  word,
} from "./ast.ts";
import { BUILTINS } from "./command-kinds.ts";
import {
  announce,
  type Context,
  descriptorWord,
  descriptorWords,
  INHERITED,
  insideRedirections,
} from "./context.ts";
import { DirectoryGlobs } from "./directory-globs.ts";
import { asCondition, substitutionIgnoringFailures, succeedingLoop } from "./errexit.ts";
import { COMMAND_DIRECTORY, DESCRIPTORS, DEVICES, OWN_COMMANDS, pipePath, VARIABLES } from "./names.ts";
import { replaceNestedScripts } from "./nested-scripts.ts";
import { changedStreams, moveRedirections, routeTo, SCOPE_STREAMS } from "./redirections.ts";
import { SimpleCommandTransform } from "./simple-commands.ts";

/**
 * Makes of a script one that does the same and
 * - writes its output where the process's goes, byte by byte and command by command: the interpreter itself hands
 *   on text, at the end;
 * - gives others their turn in every loop and function;
 * - starts its background jobs side by side, and runs its traps.
 *
 * The interpreter has no way in for any of this but the script.
 */
export class ScriptTransform {
  readonly #registry: ScriptRegistry;
  readonly #simple = new SimpleCommandTransform(this);
  readonly #functionNames = new Set<string>();
  #hasTraps = false;
  #sourceFile: string | undefined;
  #functionDepth = 0;
  /** Whether the process is written input to while it runs. */
  readonly takesInput: boolean;
  /** Whether failures may end the shell: `set -e`. */
  mayEndByFailure = false;

  constructor(registry: ScriptRegistry, takesInput: boolean) {
    this.#registry = registry;
    this.takesInput = takesInput;
  }

  /** Whether a script has been seen that may set handlers of signals, which run between commands. */
  get hasTraps(): boolean {
    return this.#hasTraps;
  }

  /** Whether a name is a builtin's or a program's, and no function's. */
  isProgram(name: string): boolean {
    return (BUILTINS.has(name) || isProgram(name)) && !this.#functionNames.has(name);
  }

  addFunctionName(name: string): void {
    this.#functionNames.add(name);
  }

  /**
   * A script that runs in a context.
   *
   * @param sourceFile the file that it is from.
   */
  script(script: ScriptNode, context: Context, sourceFile?: string): ScriptNode {
    this.#sourceFile = sourceFile;
    this.#hasTraps ||= hasWord(script, "trap");
    this.mayEndByFailure ||= hasWord(script, "set");
    someNode(script, (node) => {
      if (isNode(node, "FunctionDef")) this.addFunctionName(node.name);
      return false;
    });
    return this.#script(script, context);
  }

  #script(script: ScriptNode, context: Context): ScriptNode {
    return { ...script, statements: this.#statements(script.statements, context) };
  }

  #statements(statements: readonly StatementNode[], context: Context): StatementNode[] {
    return statements.flatMap((item) => [...this.#checkSignals(), ...this.#statement(item, context)]);
  }

  #checkSignals(): StatementNode[] {
    if (!this.#hasTraps) return [];
    return [
      keepingStatus(simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.checkSignals}`)),
      evaluateVariable(VARIABLES.handler),
    ];
  }

  #statement(item: StatementNode, context: Context): StatementNode[] {
    if (item.deferredError) return [item];
    if (item.background) return [this.#job(item, context)];
    const last = item.pipelines.length - 1;
    const pipelines = item.pipelines.map((each, index) => {
      const commands = each.commands.map((command) => withArrays(command, item.sourceText));
      const made = this.#pipeline({ ...each, commands }, context);
      const isHandled = index < last || each.negated;
      const isCondition =
        isHandled && this.mayEndByFailure && each.commands.some((one) => this.#runsOthers(one));
      return isCondition ? asCondition(made) : made;
    });
    return [{ ...item, pipelines }];
  }

  /** `list &`: hands the state of the shell to a command that starts another shell with it. */
  #job(item: StatementNode, context: Context): StatementNode {
    const foreground = { ...item, background: false };
    const job = this.#script(script([foreground]), { ...INHERITED, input: "own" });
    const id = this.#registry.jobs.add({ source: foreground, script: job });
    const state = SHELL_STATE.map(([name, ...args]) => statement(simple(name, args)));
    return statement(
      simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.job}`, [String(id), ALL_POSITIONAL], {
        assignments: announce(context),
        redirections: [
          ...routeTo(descriptorWord("stdout", context.stdout), descriptorWord("stderr", context.stderr)),
          redirection(null, "<<<", word(doubleQuoted(substitution(state)))),
        ],
      }),
    );
  }

  #pipeline(item: PipelineNode, context: Context): PipelineNode {
    if (item.commands.length === 1) {
      return { ...item, commands: item.commands.map((command) => this.#command(command, context)) };
    }
    const commands: CommandNode[] = [];
    let pipe: WordNode | undefined;
    for (const [index, command] of item.commands.entries()) {
      const isLast = index === item.commands.length - 1;
      const stage: Context = { ...context, input: index === 0 ? context.input : "own" };
      const withErrors = item.pipeStderr?.[index] ?? false;
      const input: Redirection[] = pipe ? [redirection(0, "<", pipe)] : [];
      pipe = undefined;
      if (isLast) {
        commands.push(this.#command(withInput(command, input), stage));
      } else if (this.#isProgramCall(command)) {
        const natural: Context = {
          ...stage,
          stdout: "natural",
          stderr: withErrors ? "natural" : stage.stderr,
        };
        commands.push(this.#command(withInput(command, input), natural));
      } else {
        pipe = this.#newPipe();
        commands.push(this.#stage(withInput(command, input), stage, pipe, withErrors));
      }
    }
    return { ...item, commands };
  }

  /** Whether a command runs others in this shell, each of which may end it. */
  #runsOthers(command: CommandNode): boolean {
    const { type } = command;
    return type !== "ArithmeticCommand" && type !== "ConditionalCommand" && !this.#isProgramCall(command);
  }

  /** The interpreter takes what such a command writes as it is, byte by byte. */
  #isProgramCall(command: CommandNode): boolean {
    return command.type === "SimpleCommand" && this.#simple.isProgramCall(command);
  }

  /** A name by which two stages find their pipe: another one in each call of a recursive function. */
  #newPipe(): WordNode {
    const id = this.#registry.nextPipe();
    return word({ type: "Literal", value: pipePath(id, "") }, parameter("FUNCNAME[@]", { type: "Length" }));
  }

  /** A stage whose bytes the interpreter would take for text on their way: they go around it. */
  #stage(command: CommandNode, context: Context, pipe: WordNode, withErrors: boolean): CommandNode {
    const { scopeStdout, scopeStderr } = DESCRIPTORS;
    const redirections = [redirection(scopeStdout, ">", pipe)];
    const streams: Context = { ...context, stdout: "scope" };
    if (withErrors) {
      redirections.push(redirection(scopeStderr, ">&", scopeStdout));
      streams.stderr = "scope";
    }
    // A stage is a subshell: what it does to variables stays in it.
    const inside: Context = { ...INHERITED, input: context.input };
    return {
      type: "Subshell",
      body: [assign(announceToSubshell(streams)), statement(this.#command(command, inside))],
      redirections,
    };
  }

  #command(command: CommandNode, context: Context): CommandNode {
    switch (command.type) {
      case "SimpleCommand":
        return this.#simple.transform(this.#words(command), context);
      case "FunctionDef":
        return this.#functionDefinition(command);
      default:
        return this.#compound(command, context);
    }
  }

  #words<Node>(node: Node): Node {
    return replaceNestedScripts(node, {
      captured: (script) => this.#captured(script),
      reader: (script) => this.#script(script, { ...INHERITED, input: "own" }),
      sourceFile: this.#functionDepth === 0 ? this.#sourceFile : undefined,
    });
  }

  #captured(script: ScriptNode): ScriptNode {
    const [first] = script.statements;
    if (first === undefined || isFileShorthand(script)) return script;
    const isOneCall =
      script.statements.length === 1 &&
      !first.background &&
      first.pipelines.every(({ commands }) => commands.every((command) => this.#isProgramCall(command)));
    if (isOneCall) return this.#script(script, { ...INHERITED, stdout: "natural" });
    const captured: Context = { ...INHERITED, stdout: "natural" };
    const statements = this.#statements(script.statements, INHERITED);
    const body = this.mayEndByFailure ? substitutionIgnoringFailures(statements) : statements;
    return { ...script, statements: [assign(announceToSubshell(captured)), ...body] };
  }

  #functionDefinition(command: FunctionDefinition): CommandNode {
    const body = {
      ...command.body,
      redirections: [...command.body.redirections, ...command.redirections],
    };
    this.#functionDepth++;
    // A failure in it is one of the command that calls it, whatever has brought it about.
    const end = this.mayEndByFailure ? [lastStatus()] : [];
    const definition: FunctionDefinition = {
      ...command,
      body: group([this.#turn(), statement(this.#compound(body, INHERITED)), ...end]),
      redirections: [],
      ...(this.#sourceFile === undefined ? {} : { sourceFile: this.#sourceFile }),
    };
    this.#functionDepth--;
    const id = this.#registry.functions.add(definition);
    return group([statement(definition), touchDevice(`${DEVICES.defined}${id}`)]);
  }

  #turn(): StatementNode {
    return touchDevice(DEVICES.turn);
  }

  #compound(command: CompoundCommand, context: Context): CommandNode {
    if (command.type === "ArithmeticCommand" && needsHoisting(command)) {
      const { node, assignments } = hoistExpansions(command);
      const given = simple(null, [], { assignments });
      return group([statement(this.#words(given)), statement(this.#compound(node, context))]);
    }
    if (command.type === "ArithmeticCommand" || command.type === "ConditionalCommand") {
      const stderr = routeTo(undefined, descriptorWord("stderr", context.stderr));
      const { redirections, expression } = this.#words(command);
      return { ...command, expression, redirections: [...stderr, ...redirections] } as CommandNode;
    }
    const redirections = this.#words(command.redirections);
    const changed = changedStreams(redirections);
    const inside = insideRedirections(context, changed);
    const moved = moveRedirections(redirections, SCOPE_STREAMS, descriptorWords(context));
    return { ...this.#body(command, inside), redirections: moved };
  }

  #loopBody(body: readonly StatementNode[], context: Context): StatementNode[] {
    const statements = this.#statements(body, context);
    if (!hasWord(body, "break", "continue")) return statements;
    return succeedingLoop(statements, hasParameter(body, "?"));
  }

  #body(
    command: Exclude<CompoundCommand, { type: "ArithmeticCommand" | "ConditionalCommand" }>,
    context: Context,
  ): CompoundCommand {
    const statements = (items: readonly StatementNode[]) => this.#statements(items, context);
    switch (command.type) {
      case "Subshell": {
        const body = this.#statements(command.body, { ...INHERITED, input: context.input });
        return { ...command, body: [assign(announceToSubshell(context)), ...body] };
      }
      case "Group":
        return { ...command, body: statements(command.body) };
      case "If":
        return {
          ...command,
          clauses: command.clauses.map((clause) => ({
            condition: statements(clause.condition),
            body: statements(clause.body),
          })),
          elseBody: command.elseBody && statements(command.elseBody),
        };
      case "While":
      case "Until":
        // A body that begins with `continue` never comes to its end: the head of the condition always comes round.
        return {
          ...command,
          condition: [this.#turn(), ...statements(command.condition)],
          body: this.#loopBody(command.body, context),
        };
      case "For": {
        const globs = new DirectoryGlobs();
        const loop: CompoundCommand = {
          ...command,
          words: globs.replace(this.#words(command.words ?? [ALL_POSITIONAL])),
          body: [this.#turn(), ...this.#loopBody(command.body, context)],
          redirections: [],
        };
        return globs.before.length === 0 ? loop : group([...globs.before, statement(loop)]);
      }
      case "CStyleFor":
        return {
          ...command,
          init: this.#words(command.init),
          condition: this.#words(command.condition),
          update: this.#words(command.update),
          body: [this.#turn(), ...this.#loopBody(command.body, context)],
        };
      case "Case":
        return {
          ...command,
          word: this.#words(command.word),
          items: command.items.map((item) => ({
            ...item,
            patterns: this.#words(item.patterns),
            body: statements(item.body),
          })),
        };
    }
  }
}

const ALL_POSITIONAL: WordNode = word(doubleQuoted(parameter("@")));

/** A subshell's variables end with it: it can keep what functions need to be told. */
function announceToSubshell(context: Context): Assignment[] {
  return [assignment(VARIABLES.subshell, "1"), ...announce(context)];
}

/** What another shell needs to know to go on where this one is, as commands that print it. */
const SHELL_STATE: [string, string][] = [
  ["declare", "-p"],
  ["declare", "-F"],
  ["set", "+o"],
  ["shopt", "-p"],
];

/** `$(<file)`, which the interpreter knows by its form. */
function isFileShorthand({ statements: [only, ...others] }: ScriptNode): boolean {
  const command = only?.pipelines[0]?.commands[0];
  return (
    others.length === 0 &&
    command?.type === "SimpleCommand" &&
    !command.name &&
    command.redirections.length > 0
  );
}

function withInput(command: CommandNode, input: Redirection[]): CommandNode {
  return input.length === 0 || command.type === "FunctionDef"
    ? command
    : ({ ...command, redirections: [...input, ...command.redirections] } as CommandNode);
}
