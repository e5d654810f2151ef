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

/** `name` is its `$0`, `args` are `$1` and on, `flags` are arguments for `set`. */
export type ShellProgram =
  | {
      kind: "script";
      name: string;
      args: readonly string[];
      flags: readonly string[];
      text: string;
      file?: string;
    }
  /** Commands that it reads one by one from its input. */
  | { kind: "input"; name: string; args: readonly string[]; flags: readonly string[] }
  | { kind: "command"; name: string; args: readonly string[]; program: string }
  /** A background job, which continues from another shell's state. */
  | {
      kind: "job";
      name: string;
      args: readonly string[];
      functions: readonly FunctionDefinition[];
      state: ScriptNode;
      script: ScriptNode;
    };

export function composeScript(
  program: ShellProgram,
  script: ScriptNode,
  environment: Readonly<Record<string, string>>,
  transform: ScriptTransform,
): ScriptNode {
  return scriptOf([...setUp(program, environment), ...transformed(program, script, transform)]);
}

function setUp(program: ShellProgram, environment: Readonly<Record<string, string>>): StatementNode[] {
  const { stdout, stderr } = DESCRIPTORS;
  const statements = [
    ...fragment(`exec ${stdout}>>${DEVICES.stdout} ${stderr}>>${DEVICES.stderr}; ${VARIABLES.short}=('')`),
  ];
  // just-bash exports these variables of its own.
  const isMissing = (name: string) => !Object.hasOwn(environment, name);
  const exported = program.kind === "command" ? ["PATH", "PWD"] : ["PATH"];
  for (const name of ["HOME", "OLDPWD"].filter(isMissing)) statements.push(...fragment(`unset ${name}`));
  for (const name of exported.filter(isMissing)) statements.push(...fragment(`export -n ${name}`));
  if (program.kind === "job") statements.push(...program.functions.map(statement), ...restore(program.state));
  if (program.kind !== "command" && program.args.length > 0) {
    statements.push(statement(simple("set", ["--", ...program.args.map(quoted)])));
  }
  if ("flags" in program && program.flags.length > 0) {
    statements.push(statement(simple("set", program.flags.map(quoted))));
  }
  return statements;
}

function transformed(program: ShellProgram, script: ScriptNode, transform: ScriptTransform): StatementNode[] {
  switch (program.kind) {
    case "script":
      return transformScript(program, script, transform);
    case "input": {
      const command = `${COMMAND_DIRECTORY}/${OWN_COMMANDS.nextCommand}`;
      const loop = fragment(`while ${command}; do eval "\${${VARIABLES.evaluated}-}"; done`);
      return [...loop, statement(exit(simple("exit")))];
    }
    case "command": {
      const call = simple(quoted(program.program), program.args.map(quoted));
      return transform.script(scriptOf([statement(call)])).statements;
    }
    case "job":
      return program.script.statements;
  }
}

function transformScript(
  { flags, text, file }: Extract<ShellProgram, { kind: "script" }>,
  script: ScriptNode,
  transform: ScriptTransform,
): StatementNode[] {
  const main = transform.script(script, file);
  const end = statement(exit(simple("exit")));
  // Commands that the script reads while it runs may set traps too.
  const mayTrap = transform.hasTraps || /(?:\beval|\bsource|(?:^|[\s;&|({])\.)\s/.test(text);
  if (!mayTrap) return main.statements;
  const mayBreakOff = flags.length > 0 || /\bset\s+[-+]|:\?/.test(text);
  if (!transform.hasTraps || !mayBreakOff) return [...main.statements, end];
  // A failure under `set -e` ends only the `eval`, and the trap runs after it.
  return [keepingStatus(simple("eval", [quoted(printScript(main))])), end];
}

const KEPT_VARIABLES = "BASHOPTS BASHPID EUID FUNCNAME PIPESTATUS PPID SHELLOPTS UID".split(" ");

function restore(state: ScriptNode): StatementNode[] {
  return state.statements.filter(({ pipelines: [only] }) => {
    const command = only?.commands[0];
    if (command?.type !== "SimpleCommand") return false;
    if (command.name === null) return isRestored(command.assignments[0]?.name ?? "");
    const [flags, definition] = command.args.map((arg) => arg.parts[0]);
    const flag = flags?.type === "Literal" ? flags.value : "";
    // Options that are off are also off in a new shell, and some options can only be listed.
    if (constantText(command.name) !== "declare") return flag === "-o" || flag === "-s";
    if (flag === "-f") return false;
    const name = definition?.type === "Literal" ? (/^\w+/.exec(definition.value)?.[0] ?? "") : "";
    return isRestored(name);
  });
}

function isRestored(name: string): boolean {
  return name !== "" && !isOwnVariable(name) && !KEPT_VARIABLES.includes(name);
}
