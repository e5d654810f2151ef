import {
  type CommandNode,
  type CompoundCommand,
  type FunctionDefinition,
  hasWord,
  isNode,
  type PipelineNode,
  parseAtOnce,
  type Redirection,
  type ScriptNode,
  type SimpleCommandNode,
  type StatementNode,
  someNode,
  type WordNode,
} from "../just-bash.ts";
import type { ScriptRegistry } from "../process-context.ts";
import { withArrays } from "./array-declarations.ts";
import { hoistIndices } from "./array-indices.ts";
import {
  assign,
  assignment,
  constantText,
  doubleQuoted,
  fragment,
  group,
  keepingStatus,
  literal,
  nothing,
  parameter,
  redirection,
  script as scriptOf,
  simple,
  statement,
  touchDevice,
  variable,
  word,
} from "./ast.ts";
import {
  BUILTINS,
  CALLING_BUILTINS,
  CONTROL_BUILTINS,
  isProgram,
  REPLACED_BUILTINS,
  SILENT_BUILTINS,
} from "./command-kinds.ts";
import {
  asCondition,
  bare,
  CHECK_SIGNALS,
  calledAs,
  exit,
  ignoringFailures,
  onlyCommand,
  redirected,
  withLiveInput,
  withRoutes,
  withSplitName,
} from "./commands.ts";
import { hoistDirectoryGlobs } from "./directory-globs.ts";
import { arrayNames, refusedReference } from "./name-references.ts";
import { COMMAND_DIRECTORY, DESCRIPTORS, DEVICES, OWN_COMMANDS, VARIABLES } from "./names.ts";
import {
  ERRORS_TO_OUTPUT,
  IN_SUBSHELL,
  moveOutput,
  readsFile,
  redirectsInput,
  routed,
  TO_INTERPRETER,
} from "./redirections.ts";
import { hoistExpansions, transformWords } from "./words.ts";

/** Standard input: that of a pipe or redirection; or whatever the shell or the caller of a function has. */
type Input = "own" | "inherited";

/** just-bash splits the parameters of a `for` without words. */
const ALL_POSITIONAL: WordNode[] = [word(doubleQuoted(parameter("@")))];

const NO_LIVE_INPUT = assignment(VARIABLES.liveInput, literal(""));

function hoisted(command: CommandNode): ReturnType<typeof hoistIndices> {
  return hoistDirectoryGlobs(command) ?? hoistIndices(command);
}

const GIVE_TURN = touchDevice(DEVICES.turn);

const SHELL_STATE = "$(declare -p; declare -F; set +o; shopt -p)";

/**
 * Transforms a script so that
 * - its output leaves byte by byte as commands write it, while just-bash collects text and returns it at the
 *   end;
 * - other sessions get their turn in each loop and function;
 * - background jobs run as processes, and traps run.
 *
 * just-bash offers no hooks for this other than the script.
 */
export class ScriptTransform {
  readonly #registry: ScriptRegistry;
  #sourceFile: string | undefined;
  readonly takesInput: boolean;
  /** Functions that may be defined, which take precedence over programs. */
  readonly functionNames = new Set<string>();
  readonly #arrays = new Set<string>();
  hasTraps = false;
  /** Whether `set -e` may be in effect. */
  mayEndByFailure = false;

  constructor(registry: ScriptRegistry, takesInput: boolean) {
    this.#registry = registry;
    this.takesInput = takesInput;
  }

  script(script: ScriptNode, sourceFile?: string): ScriptNode {
    return this.#transform(script, "inherited", sourceFile);
  }

  nested(script: ScriptNode): ScriptNode {
    const { statements } = this.#transform(script, "own");
    return scriptOf([
      statement(group(statements, [TO_INTERPRETER, redirection(DESCRIPTORS.stderr, ">&", 2)])),
    ]);
  }

  #transform(script: ScriptNode, input: Input, sourceFile?: string): ScriptNode {
    this.#sourceFile = sourceFile;
    this.hasTraps ||= hasWord(script, "trap");
    this.mayEndByFailure ||= hasWord(script, "set");
    someNode(script, (node) => {
      if (isNode(node, "FunctionDef")) this.functionNames.add(node.name);
      for (const name of arrayNames(node)) this.#arrays.add(name);
      return false;
    });
    return this.#script(script, input);
  }

  #script(script: ScriptNode, input: Input): ScriptNode {
    return { ...script, statements: this.#statements(script.statements, input) };
  }

  #statements(statements: readonly StatementNode[], input: Input): StatementNode[] {
    const before = this.hasTraps ? fragment(CHECK_SIGNALS) : [];
    return statements.flatMap((item) => [...before, ...this.#statement(item, input)]);
  }

  #statement(item: StatementNode, input: Input): StatementNode[] {
    if (item.deferredError) return [item];
    if (item.background) return this.#job(item);
    const last = item.pipelines.length - 1;
    const pipelines = item.pipelines.map((each, index) => {
      const commands = each.commands.map((command) => withArrays(command, item.sourceText));
      const made = this.#pipeline({ ...each, commands }, input);
      const isHandled = index < last || each.negated;
      const mayEnd = this.mayEndByFailure && !each.commands.every((one) => this.#isProgramCall(one));
      return isHandled && mayEnd ? asCondition(made) : made;
    });
    return [{ ...item, pipelines }];
  }

  /** `list &`: a command starts another shell and hands it the state of this one. */
  #job(item: StatementNode): StatementNode[] {
    const source = { ...item, background: false };
    const id = this.#registry.jobs.push({ source, script: this.#script(scriptOf([source]), "own") }) - 1;
    const command = `${COMMAND_DIRECTORY}/${OWN_COMMANDS.job} ${id} "$@" <<< "${SHELL_STATE}"`;
    const routes = `1>&${DESCRIPTORS.stdout} 2>&${DESCRIPTORS.stderr}`;
    return parseAtOnce(`${command} ${routes}`)?.statements ?? [];
  }

  #pipeline(item: PipelineNode, input: Input): PipelineNode {
    if (item.commands.length === 1) {
      return { ...item, commands: item.commands.map((command) => this.#command(command, input)) };
    }
    const last = item.commands.length - 1;
    let fromPipe: Redirection[] = [];
    const commands = item.commands.map((given, index): CommandNode => {
      const stageInput = index === 0 ? input : "own";
      const command = redirected(fromPipe, given);
      fromPipe = [];
      if (index === last) return this.#command(command, stageInput);
      const errors = item.pipeStderr?.[index] ? [ERRORS_TO_OUTPUT] : [];
      if (this.#isProgramCall(given)) {
        return this.#command(redirected([TO_INTERPRETER], command, errors), stageInput);
      }
      // just-bash treats bytes written by a compound command as text, so they go through a device.
      const pipe = this.#newPipe();
      fromPipe = [redirection(0, "<", pipe)];
      const redirections = [redirection(DESCRIPTORS.stdout, ">", pipe), ...errors, IN_SUBSHELL];
      return { type: "Subshell", body: [statement(this.#command(command, stageInput))], redirections };
    });
    return { ...item, commands, pipeStderr: [] };
  }

  /** The device of a pipe: another one in each call of a recursive function. */
  #newPipe(): WordNode {
    const path = `${DEVICES.pipe}${this.#registry.pipes++}/`;
    return word({ type: "Literal", value: path }, parameter("FUNCNAME[@]", { type: "Length" }));
  }

  /** Whether a command runs no others in this shell, each of which may write and may end it. */
  #isProgramCall(command: CommandNode): boolean {
    if (command.type === "ArithmeticCommand") return true;
    if (command.type === "ConditionalCommand") return !hoisted(command);
    if (command.type !== "SimpleCommand" || hoisted(command)) return false;
    const name = constantText(command.name);
    if (name === undefined) return command.name === null;
    if (CALLING_BUILTINS.has(name) || this.functionNames.has(name)) return false;
    return (
      BUILTINS.has(name) || isProgram(name.startsWith("/") ? name.slice(name.lastIndexOf("/") + 1) : name)
    );
  }

  #command(command: CommandNode, input: Input): CommandNode {
    const parts = hoisted(command);
    if (parts) {
      const before = this.#statements(parts.before, input);
      return group([...before, statement(this.#command(parts.command, input))]);
    }
    if (command.type === "SimpleCommand") return this.#simple(this.#words(command), input);
    return command.type === "FunctionDef"
      ? this.#functionDefinition(command)
      : this.#compound(command, input);
  }

  #words<Node>(node: Node): Node {
    return transformWords(node, {
      captured: (script) => this.#captured(script),
      reader: (script) => this.#script(script, "own"),
      sourceFile: this.#sourceFile,
    });
  }

  #captured(script: ScriptNode): ScriptNode {
    if (script.statements.length === 0) return script;
    const only = onlyCommand(script);
    // just-bash recognizes `$(<file)` by its form.
    if (only?.type === "SimpleCommand" && !only.name && only.redirections.length > 0) return script;
    if (only && this.#isProgramCall(only)) {
      const command = this.#command(redirected([TO_INTERPRETER], only), "inherited");
      return { ...script, statements: [statement(command)] };
    }
    const statements = this.#statements(script.statements, "inherited");
    const body = this.mayEndByFailure
      ? [statement(ignoringFailures(statements)), statement(nothing())]
      : statements;
    return { ...script, statements: [statement(group(body, [TO_INTERPRETER, IN_SUBSHELL]))] };
  }

  /** A command of one line; its words are transformed before. */
  #simple(written: SimpleCommandNode, input: Input): CommandNode {
    const command = withSplitName(written);
    const { redirections } = command;
    if (command.name === null) return bare(command);
    const name = constantText(command.name) ?? "";
    if (CONTROL_BUILTINS.has(name) || (SILENT_BUILTINS.has(name) && redirections.length === 0))
      return command;
    const refused = refusedReference(command, this.#arrays);
    if (refused) return group(this.#statements(refused, input));
    if (name === "exec") return this.#exec(command, input);
    if (name === "exit") return exit(command);
    if (name === "eval" && command.args.length > 0) return this.#eval(command, input);
    if (!this.#isProgramCall(command)) return this.#call(command, input);
    const program = REPLACED_BUILTINS.has(name)
      ? { ...command, name: literal(`${COMMAND_DIRECTORY}/${name}`) }
      : name === "wc" && readsFile(redirections)
        ? // The command does not see where its input comes from, and its columns depend on it.
          { ...command, args: [literal("--input-is-file"), ...command.args] }
        : command;
    const mayBeLive = this.takesInput && input !== "own" && !redirectsInput(redirections);
    return mayBeLive ? withLiveInput(program) : withRoutes(program);
  }

  #call(command: SimpleCommandNode, input: Input): SimpleCommandNode {
    const hasOwnInput = input === "own" || redirectsInput(command.redirections);
    const marks = this.takesInput && hasOwnInput ? [NO_LIVE_INPUT] : [];
    const called = withRoutes(command);
    const name = constantText(command.name);
    const isSource = name === "." || name === "source";
    const announced = isSource ? [redirection(DESCRIPTORS.device, "<", DEVICES.source)] : [];
    return {
      ...called,
      assignments: [...marks, ...calledAs(command), ...command.assignments],
      redirections: [...called.redirections, ...announced],
    };
  }

  /** `exec` with a command ends the shell with it; without one, redirections apply to all that follows. */
  #exec(command: SimpleCommandNode, input: Input): CommandNode {
    if (command.args.length > 0) {
      const called: SimpleCommandNode = { ...command, name: literal("command") };
      return group([statement(this.#simple(called, input)), statement(exit(simple("exit")))]);
    }
    const opened = { ...command, redirections: command.redirections.flatMap(moveOutput) };
    if (!redirectsInput(command.redirections)) return opened;
    return group([statement(opened), statement(assign([NO_LIVE_INPUT]))]);
  }

  #eval(command: SimpleCommandNode, input: Input): CommandNode {
    const prepare = simple(`${COMMAND_DIRECTORY}/${OWN_COMMANDS.prepareEval}`, command.args);
    const evaluate = { ...command, args: [variable(VARIABLES.evaluated)] };
    return group([keepingStatus(prepare), statement(this.#call(evaluate, input))]);
  }

  #functionDefinition(command: FunctionDefinition): CommandNode {
    const redirections = [...command.body.redirections, ...command.redirections];
    const body = this.#compound({ ...command.body, redirections }, "inherited");
    // A failure inside it counts as a failure of the command that calls it.
    const end = this.mayEndByFailure ? [statement(nothing())] : [];
    const definition: FunctionDefinition = {
      ...command,
      body: group([GIVE_TURN, statement(body), ...end]),
      redirections: [],
      ...(this.#sourceFile !== undefined && { sourceFile: this.#sourceFile }),
    };
    const id = this.#registry.functions.push(definition) - 1;
    return group([statement(definition), touchDevice(`${DEVICES.defined}${id}`)]);
  }

  #compound(command: CompoundCommand, input: Input): CommandNode {
    const arithmetic = command.type === "ArithmeticCommand" ? hoistExpansions(command) : undefined;
    if (arithmetic) {
      const first = this.#command(assign(arithmetic.assignments), input);
      return group([statement(first), statement(this.#compound(arithmetic.node, input))]);
    }
    if (command.type === "ArithmeticCommand" || command.type === "ConditionalCommand") {
      const transformed = this.#words(command);
      return { ...transformed, redirections: routed(transformed.redirections) };
    }
    const redirections = this.#words(command.redirections);
    if (command.type === "Subshell") redirections.push(IN_SUBSHELL);
    const body = this.#body({ ...command, redirections: [] }, redirectsInput(redirections) ? "own" : input);
    return { ...body, redirections: redirections.length === 0 ? [] : routed(redirections) };
  }

  /** A body whose `break` and `continue` succeed: in just-bash, a loop ends with the status before them. */
  #loopBody(body: readonly StatementNode[], input: Input): StatementNode[] {
    const statements = [GIVE_TURN, ...this.#statements(body, input)];
    return hasWord(body, "break", "continue") ? [...fragment(":"), statement(group(statements))] : statements;
  }

  #body(
    command: Exclude<CompoundCommand, { type: "ArithmeticCommand" | "ConditionalCommand" }>,
    input: Input,
  ): CompoundCommand {
    const statements = (items: readonly StatementNode[]) => this.#statements(items, input);
    switch (command.type) {
      case "Subshell":
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
        return {
          ...command,
          condition: statements(command.condition),
          body: this.#loopBody(command.body, input),
        };
      case "For": {
        const words = this.#words(command.words ?? ALL_POSITIONAL);
        return { ...command, words, body: this.#loopBody(command.body, input) };
      }
      case "CStyleFor": {
        const { body, ...head } = command;
        return { ...this.#words(head), body: this.#loopBody(body, input) };
      }
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
