import type { CommandNode, ScriptNode, SimpleCommandNode, WordNode } from "just-bash";
import { Bash, type CommandContext } from "just-bash/browser";
import { DESCRIPTORS } from "./transforms/names.ts";

/**
 * Everything the shell uses of just-bash beyond its documented interface: syntax tree, parser, printer and
 * descriptors. `just-bash-internals.test.ts` fails if a new version changes one of them.
 */

export type * from "just-bash";
export type WordPart = WordNode["parts"][number];
export type Redirection = SimpleCommandNode["redirections"][number];
export type HereDocument = Exclude<Redirection["target"], WordNode>;
export type Assignment = SimpleCommandNode["assignments"][number];
export type CommandOf<Type extends CommandNode["type"]> = Extract<CommandNode, { type: Type }>;
export type FunctionDefinition = CommandOf<"FunctionDef">;
export type CompoundCommand = FunctionDefinition["body"];
export type Expansion = Extract<WordPart, { type: "ParameterExpansion" }>;
export type Arithmetic = Extract<WordPart, { type: "ArithmeticExpansion" }>["expression"];

type AnyNode =
  | ScriptNode
  | CommandNode
  | WordNode
  | WordPart
  | Redirection
  | HereDocument
  | Arithmetic
  | Arithmetic["expression"]
  | CommandOf<"ConditionalCommand">["expression"]
  | NonNullable<Expansion["operation"]>;
export type NodeOf<Type extends AnyNode["type"]> = Extract<AnyNode, { type: Type }>;

export function isNode<Type extends AnyNode["type"]>(node: unknown, type: Type): node is NodeOf<Type> {
  return typeof node === "object" && node !== null && "type" in node && node.type === type;
}

export function mapTree<Tree>(tree: Tree, replace: (node: object) => unknown): Tree;
export function mapTree(node: unknown, replace: (node: object) => unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => mapTree(item, replace));
  if (node === null || typeof node !== "object") return node;
  return replace(node) ?? mapParts(node, (part) => mapTree(part, replace));
}

export function mapParts(node: object, replace: (part: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(node).map(([name, part]) => [name, replace(part)]));
}

export function someNode(node: unknown, test: (node: object) => boolean): boolean {
  if (node === null || typeof node !== "object") return false;
  return (!Array.isArray(node) && test(node)) || Object.values(node).some((part) => someNode(part, test));
}

export function hasWord(tree: unknown, ...words: string[]): boolean {
  return someNode(tree, (node) => "value" in node && words.some((each) => each === node.value));
}

export class ScriptSyntaxError extends Error {
  override readonly name = "ScriptSyntaxError";
}

const NO_SCRIPT: ScriptNode = { type: "Script", statements: [] };

/**
 * just-bash exports neither parser nor printer for browsers. A plugin receives each script parsed before it
 * runs, and what the plugin returns is printed.
 */
let parser: Bash | undefined;
let parsed: ScriptNode | undefined;
let printed: ScriptNode | undefined;

function sharedParser(): Bash {
  if (parser) return parser;
  parser = new Bash({ defenseInDepth: false, commands: [] });
  parser.registerTransformPlugin({
    name: "parser",
    transform: ({ ast }) => {
      parsed = ast;
      return { ast: printed ?? NO_SCRIPT };
    },
  });
  return parser;
}

function startParser(text: string): { script: ScriptNode | undefined; running: Promise<{ stderr: string }> } {
  const running = sharedParser().exec(text, { rawScript: true });
  const script = parsed;
  parsed = undefined;
  return { script, running };
}

/** @throws ScriptSyntaxError */
export async function parseScript(text: string): Promise<ScriptNode> {
  if (text.trim() === "") return NO_SCRIPT;
  const { script, running } = startParser(text);
  const { stderr } = await running;
  if (!script) throw new ScriptSyntaxError(stderr);
  return script;
}

/** Whether a text is complete, so that no command continues on the next line. */
export async function isComplete(text: string): Promise<boolean> {
  if (/(?:\\|&&|\|)\s*$/.test(text)) return false;
  try {
    const script = await parseScript(text);
    return !someNode(script, (node) => isNode(node, "HereDoc") && node.terminated === false);
  } catch (error) {
    // An error at the very end is about missing text.
    const lines = text.split("\n");
    const end = `at ${lines.length}:${(lines.at(-1) ?? "").length + 1}:`;
    return !String(error).includes(end) && !/unexpected EOF/.test(String(error));
  }
}

export function parseCommand(text: string): CommandNode | undefined {
  return parseAtOnce(text)?.statements[0]?.pipelines[0]?.commands[0];
}

export function parseWord(text: string): WordPart[] {
  const command = parseCommand(`: ${text}`);
  return command?.type === "SimpleCommand" ? (command.args[0]?.parts ?? []) : [];
}

/** @returns undefined: its syntax is wrong, or it is empty. */
export function parseAtOnce(text: string): ScriptNode | undefined {
  return startParser(text).script;
}

export function printScript(script: ScriptNode): string {
  printed = script;
  try {
    return sharedParser().transform(":").script;
  } finally {
    printed = undefined;
    parsed = undefined;
  }
}

export function outputPath(context: CommandContext, descriptor: number): string | undefined {
  const entry = context.fileDescriptors?.get(descriptor);
  return /^__file(?:_append)?__:(.*)$/s.exec(entry ?? "")?.[1];
}

export function isInSubshell(context: CommandContext): boolean {
  return context.fileDescriptors?.has(DESCRIPTORS.subshell) ?? false;
}

export function statusOf(context: CommandContext): number {
  return Number(context.env.get("?") ?? 0);
}

export function bundledCommand(context: CommandContext): NonNullable<CommandContext["origCommand"]> {
  if (!context.origCommand) throw new Error("no such command");
  return context.origCommand;
}
