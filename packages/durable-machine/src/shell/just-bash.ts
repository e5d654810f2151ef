import type { CommandNode, ScriptNode, SimpleCommandNode, WordNode } from "just-bash";
import { Bash, type CommandContext } from "just-bash/browser";
import { DESCRIPTORS } from "./transforms/names.ts";

/**
 * All that the shell uses of just-bash beyond its documented interface: the shapes of its syntax tree, its parser and
 * printer, the entries of its table of descriptors, and the texts of its messages. `just-bash-internals.test.ts` fails
 * where a new version changes one of them.
 */

export type {
  CommandNode,
  PipelineNode,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
  WordNode,
} from "just-bash";
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

/** Whether something found in a syntax tree is a node of a type. */
export function isNode<Type extends AnyNode["type"]>(node: unknown, type: Type): node is NodeOf<Type> {
  return typeof node === "object" && node !== null && "type" in node && node.type === type;
}

/**
 * A copy of a part of a syntax tree, in which `replace` takes the place of nodes: what it returns undefined for is
 * copied part by part. Words have dozens of shapes, and scripts turn up in all of them.
 */
export function mapTree<Tree>(tree: Tree, replace: (node: object) => unknown): Tree {
  return mapNode(tree, replace) as Tree;
}

function mapNode(node: unknown, replace: (node: object) => unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => mapNode(item, replace));
  if (node === null || typeof node !== "object") return node;
  return replace(node) ?? mapParts(node, (part) => mapNode(part, replace));
}

/** A copy of a node with each of its parts replaced. */
export function mapParts(node: object, replace: (part: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(node).map(([name, part]) => [name, replace(part)]));
}

/** Whether a part of a syntax tree holds a node that a test is true for. */
export function someNode(node: unknown, test: (node: object) => boolean): boolean {
  if (node === null || typeof node !== "object") return false;
  return (!Array.isArray(node) && test(node)) || Object.values(node).some((part) => someNode(part, test));
}

/** Whether a script says a word anywhere, such as the name of a builtin. */
export function hasWord(tree: unknown, ...words: string[]): boolean {
  return someNode(tree, (node) => "value" in node && words.some((each) => each === node.value));
}

/** The parser found an error in a script. */
export class ScriptSyntaxError extends Error {
  override readonly name = "ScriptSyntaxError";
}

const NO_SCRIPT: ScriptNode = { type: "Script", statements: [] };

/**
 * The browser's bundle exports neither parser nor printer. A plugin that gets a script before it runs, and puts an
 * empty one in its place, parses; one that puts another in its place, prints.
 */
class Parser {
  readonly #bash = new Bash({ defenseInDepth: false, commands: [] });
  #parsed: ScriptNode | undefined;
  #printed: ScriptNode | undefined;

  constructor() {
    this.#bash.registerTransformPlugin({
      name: "parser",
      transform: ({ ast }) => {
        if (this.#printed) return { ast: this.#printed };
        this.#parsed = ast;
        return { ast: NO_SCRIPT };
      },
    });
  }

  /** The plugin is called before anything is awaited: no other script comes in between. */
  start(text: string): { parsed: ScriptNode | undefined; running: Promise<{ stderr: string }> } {
    const running = this.#bash.exec(text, { rawScript: true });
    const parsed = this.#parsed;
    this.#parsed = undefined;
    return { parsed, running };
  }

  print(script: ScriptNode): string {
    this.#printed = script;
    try {
      return this.#bash.transform(":").script;
    } finally {
      this.#printed = undefined;
    }
  }
}

let sharedParser: Parser | undefined;

function parser(): Parser {
  sharedParser ??= new Parser();
  return sharedParser;
}

/** @throws ScriptSyntaxError */
export async function parseScript(text: string): Promise<ScriptNode> {
  if (text.trim() === "") return NO_SCRIPT;
  const { parsed, running } = parser().start(text);
  const { stderr } = await running;
  if (!parsed) throw new ScriptSyntaxError(stderr);
  return parsed;
}

/** Whether a text is whole commands; else the last one goes on in the next line. */
export async function isComplete(text: string): Promise<boolean> {
  if (/(?:\\|&&|\|)\s*$/.test(text)) return false;
  try {
    const parsed = await parseScript(text);
    return !someNode(parsed, (node) => isNode(node, "HereDoc") && node.terminated === false);
  } catch (error) {
    const message = String(error);
    const lines = text.split("\n");
    // An error at the very end is about what is not there yet.
    return (
      !message.includes(`at ${lines.length}:${(lines.at(-1) ?? "").length + 1}:`) &&
      !/unexpected EOF/.test(message)
    );
  }
}

/** The first command of a text. @returns undefined: there is none, or its syntax is wrong. */
export function parseCommand(text: string): CommandNode | undefined {
  return parseAtOnce(text)?.statements[0]?.pipelines[0]?.commands[0];
}

/** The parts of the word that a text begins with. */
export function parseWord(text: string): WordPart[] {
  const command = parseCommand(`: ${text}`);
  return command?.type === "SimpleCommand" ? (command.args[0]?.parts ?? []) : [];
}

/** @returns undefined: its syntax is wrong, or it is empty. */
export function parseAtOnce(text: string): ScriptNode | undefined {
  return parser().start(text).parsed;
}

/** A script as text, as the library's printer has it. @throws Error where it cannot be written. */
export function printScript(script: ScriptNode): string {
  return parser().print(script);
}

/** The file that a descriptor of the script is open on for writing. */
export function outputPath(context: CommandContext, descriptor: number): string | undefined {
  const entry = context.fileDescriptors?.get(descriptor);
  return /^__file(?:_append)?__:(.*)$/s.exec(entry ?? "")?.[1];
}

/** Whether a command runs in a subshell. */
export function isInSubshell(context: CommandContext): boolean {
  return context.fileDescriptors?.has(DESCRIPTORS.subshell) ?? false;
}

/** `$?` as a command finds it. */
export function statusOf(context: CommandContext): number {
  return Number(context.env.get("?") ?? 0);
}

/** Runs the bundled command of the same name that a custom command replaces. */
export function bundledCommand(context: CommandContext): NonNullable<CommandContext["origCommand"]> {
  if (!context.origCommand) throw new Error("no such command");
  return context.origCommand;
}

/** Whether a feature that the interpreter counts is a statement or an expression of awk, sed or jq. */
export function isToolStatement(feature: string): boolean {
  return /^(?:awk|sed|jq):/.test(feature);
}

/** What the interpreter's messages are replaced by. */
export interface MessageTexts {
  /** Why a command is not there; undefined: it is merely unknown. */
  missingCommand: (name: string) => string | undefined;
  /** Why the file of a redirection could not be opened; undefined: unknown. */
  openFailure: string | undefined;
  /** Why an expansion within `[[ ]]` ended the shell. */
  expansionFailure: string;
}

/** A message of the interpreter, with the reasons that it does not give. */
export function describeMessage(text: string, texts: MessageTexts): string {
  return text
    .replace(/, increase executionLimits\.\w+/, ": limit of this machine")
    .replace(
      /^bash: ([^:]*): command not (?:found|available in browser environments).*$/m,
      (message, name: string) => {
        const reason = texts.missingCommand(name);
        return reason === undefined ? message : `bash: ${name}: ${reason}`;
      },
    )
    .replace(/^(bash: conditional expression: )exit$/m, `$1${texts.expansionFailure}`)
    .replace(
      /^(bash: .*: )(?:cannot open redirect target|No such file or directory)$/m,
      (message, start: string) =>
        texts.openFailure === undefined ? message : `${start}${texts.openFailure}`,
    );
}
