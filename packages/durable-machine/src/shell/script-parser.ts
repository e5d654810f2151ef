import { Bash } from "just-bash/browser";
import { markArrays, unmarkArrays } from "./array-marks.ts";
import { withoutStrayMarks } from "./transforms/array-declarations.ts";
import type { ScriptNode } from "./transforms/ast.ts";

/** What the parser has to say against a script. */
export class SyntaxProblem extends Error {
  override readonly name = "SyntaxProblem";
}

/**
 * The interpreter gives its parser and its printer away only by way of plugins: one that takes a script before it
 * runs, and puts an empty one in its place, parses; one that puts another in its place, prints.
 */
class Parser {
  readonly #bash: Bash;
  #parsed: ScriptNode | undefined;
  #printed: ScriptNode | undefined;

  constructor() {
    this.#bash = new Bash({ defenseInDepth: false, commands: [] });
    this.#bash.registerTransformPlugin({
      name: "parser",
      transform: ({ ast }) => {
        if (this.#printed) return { ast: this.#printed };
        this.#parsed = ast;
        return { ast: { ...ast, statements: [] } };
      },
    });
  }

  async parse(given: string): Promise<ScriptNode> {
    const text = markArrays(given);
    // The plugin is called before anything is awaited: no other script comes in between.
    const running = this.#bash.exec(text, { rawScript: true });
    const parsed = this.#takeParsed();
    const { stderr } = await running;
    if (parsed) return text === given ? parsed : withoutStrayMarks(parsed);
    if (text.trim() === "") return { type: "Script", statements: [] };
    throw new SyntaxProblem(stderr);
  }

  #takeParsed(): ScriptNode | undefined {
    const parsed = this.#parsed;
    this.#parsed = undefined;
    return parsed;
  }

  /** Without waiting, and without a reason where it fails. */
  parseAtOnce(given: string): ScriptNode | undefined {
    const text = markArrays(given);
    void this.#bash.exec(text, { rawScript: true });
    const parsed = this.#takeParsed();
    return parsed && text !== given ? withoutStrayMarks(parsed) : parsed;
  }

  print(script: ScriptNode): string {
    this.#printed = script;
    try {
      return unmarkArrays(this.#bash.transform(":").script);
    } finally {
      this.#printed = undefined;
    }
  }
}

let parser: Parser | undefined;

function sharedParser(): Parser {
  parser ??= new Parser();
  return parser;
}

/** @throws SyntaxProblem */
export async function parseScript(text: string): Promise<ScriptNode> {
  return await sharedParser().parse(text);
}

/** @returns undefined: its syntax is wrong, or it is empty. */
export function tryParseScript(text: string): ScriptNode | undefined {
  return sharedParser().parseAtOnce(text);
}

/** A script as text. @throws Error where it cannot be written. */
export function printScript(script: ScriptNode): string {
  return sharedParser().print(script);
}
