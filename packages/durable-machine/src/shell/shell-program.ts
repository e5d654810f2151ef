import { type FunctionDefinition, printScript, type ScriptNode, type StatementNode } from "./just-bash.ts";
import {
  constantText,
  fragment,
  keepingStatus,
  quoted,
  script as scriptOf,
  simple,
  statement,
} from "./transforms/ast.ts";
import { exit } from "./transforms/commands.ts";
import {
  COMMAND_DIRECTORY,
  DESCRIPTORS,
  DEVICES,
  isOwnVariable,
  OWN_COMMANDS,
  VARIABLES,
} from "./transforms/names.ts";
import type { ScriptTransform } from "./transforms/script-transform.ts";

/** What a shell runs. `name` is its `$0`, `args` are `$1` and on, `flags` are arguments for `set`. */
export type ShellProgram =
  | {
      kind: "script";
      name: string;
      args: readonly string[];
      flags: readonly string[];
      text: string;
      /** Where the text is from; absent: from no file. */
      file?: string;
    }
  /** Commands that it reads from its input, one by one as they come. */
  | { kind: "input"; name: string; args: readonly string[]; flags: readonly string[] }
  /** A program of the machine, with its arguments as they are. */
  | { kind: "command"; name: string; args: readonly string[]; program: string }
  /** A background job: it goes on where another shell is. */
  | {
      kind: "job";
      name: string;
      args: readonly string[];
      functions: readonly FunctionDefinition[];
      state: ScriptNode;
      script: ScriptNode;
    };

/** The whole script that the interpreter runs: the program's own, made ready, between a beginning and an end. */
export function composeScript(
  program: ShellProgram,
  parsed: ScriptNode,
  transform: ScriptTransform,
): ScriptNode {
  return scriptOf([...beginning(program), ...own(program, parsed, transform)]);
}

function beginning(program: ShellProgram): StatementNode[] {
  const { stdout, stderr } = DESCRIPTORS;
  const statements = [
    ...fragment(`exec ${stdout}>>${DEVICES.stdout} ${stderr}>>${DEVICES.stderr}; ${VARIABLES.short}=('')`),
  ];
  if (program.kind === "job") statements.push(...program.functions.map(statement), ...restore(program.state));
  if (program.kind !== "command" && program.args.length > 0) {
    statements.push(statement(simple("set", ["--", ...program.args.map(quoted)])));
  }
  if ("flags" in program && program.flags.length > 0) {
    statements.push(statement(simple("set", program.flags.map(quoted))));
  }
  return statements;
}

function own(program: ShellProgram, parsed: ScriptNode, transform: ScriptTransform): StatementNode[] {
  switch (program.kind) {
    case "script":
      return script(program, parsed, transform);
    case "input":
      return [...readCommands(), statement(exit(simple("exit")))];
    case "command": {
      const call = simple(quoted(program.program), program.args.map(quoted));
      return transform.script(scriptOf([statement(call)])).statements;
    }
    case "job":
      return program.script.statements;
  }
}

function script(
  program: Extract<ShellProgram, { kind: "script" }>,
  parsed: ScriptNode,
  transform: ScriptTransform,
): StatementNode[] {
  const transformed = transform.script(parsed, program.file);
  const end = statement(exit(simple("exit")));
  // What comes while the script runs may set traps too.
  const mayTrap = transform.hasTraps || /(?:\beval|\bsource|(?:^|[\s;&|({])\.)\s/.test(program.text);
  if (!mayTrap) return transformed.statements;
  if (!transform.hasTraps || !mayBreakOff(program)) return [...transformed.statements, end];
  // What ends a script from within, such as a failure under `set -e`, ends an `eval` only: the trap comes after it.
  return [keepingStatus(simple("eval", [quoted(printScript(transformed))])), end];
}

function mayBreakOff({ flags, text }: Extract<ShellProgram, { kind: "script" }>): boolean {
  return flags.length > 0 || /\bset\s+[-+]|:\?/.test(text);
}

function readCommands(): StatementNode[] {
  const command = `${COMMAND_DIRECTORY}/${OWN_COMMANDS.nextCommand}`;
  return fragment(`while ${command}; do eval "\${${VARIABLES.evaluated}-}"; done`);
}

/** Variables that a shell has of itself. */
const KEPT_VARIABLES: ReadonlySet<string> = new Set([
  "BASHOPTS",
  "BASHPID",
  "EUID",
  "FUNCNAME",
  "PIPESTATUS",
  "PPID",
  "SHELLOPTS",
  "UID",
]);

/** Of what another shell has printed of its state, that which sets it here. */
function restore(state: ScriptNode): StatementNode[] {
  return state.statements.filter(({ pipelines: [only] }) => {
    const command = only?.commands[0];
    if (command?.type !== "SimpleCommand") return false;
    if (command.name === null) return isRestored(command.assignments[0]?.name ?? "");
    const [flags, definition] = command.args.map((arg) => arg.parts[0]);
    const flag = flags?.type === "Literal" ? flags.value : "";
    // What is off is off in a new shell too, and some options can only be listed.
    if (constantText(command.name) !== "declare") return flag === "-o" || flag === "-s";
    if (flag === "-f") return false;
    const name = definition?.type === "Literal" ? (/^\w+/.exec(definition.value)?.[0] ?? "") : "";
    return isRestored(name);
  });
}

function isRestored(name: string): boolean {
  return name !== "" && !isOwnVariable(name) && !KEPT_VARIABLES.has(name);
}
