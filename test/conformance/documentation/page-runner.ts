import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { ROOT } from "../service-client.ts";
import type { CodeBlock } from "./code-blocks.ts";

const BLOCK_TIMEOUT_MS = 120_000;

/** Its curl fails on error responses. */
const COMMANDS = join(import.meta.dirname, "commands");

/** Its npm takes the place of the real one. */
const STAND_INS = join(import.meta.dirname, "stand-ins");

/** Programs by the extension of a file that a reader saves. */
const INTERPRETERS: Readonly<Record<string, string>> = { mjs: "node", ts: "node", py: "python3" };

/** Blocks that are shown but not run. */
const SHOWN_LANGUAGES = ["", "text", "toml", "yaml", "html", "http", "json", "mermaid"];

const RUN_LANGUAGES = ["sh", "js", "ts", "python"];

export interface PageRunOptions {
  env: Record<string, string>;
  /** Whether `npm` installs from the registry. */
  usesRealNpm?: boolean;
}

/** Runs the code blocks of a page in order, as a reader pastes them into one terminal and one folder. */
export class PageRun {
  readonly #blocks: readonly CodeBlock[];
  readonly #folder = mkdtempSync(join(tmpdir(), "dp-"));
  readonly #env: NodeJS.ProcessEnv;
  /** The shell's variables between blocks. */
  readonly #variables = join(this.#folder, ".variables");

  constructor(blocks: readonly CodeBlock[], { env, usesRealNpm = false }: PageRunOptions) {
    this.#blocks = blocks;
    const path = [COMMANDS, ...(usesRealNpm ? [] : [STAND_INS]), process.env.PATH].join(delimiter);
    this.#env = { ...process.env, ...env, PATH: path, DOCUMENTED_PROJECT: ROOT };
    writeFileSync(this.#variables, "");
    // Packages that are not installed must not be found in a parent folder.
    mkdirSync(join(this.#folder, "node_modules"));
  }

  /** @throws with the output when a block fails. @returns the lines of blocks that need missing programs. */
  async run(): Promise<string[]> {
    const skipped: string[] = [];
    for (const block of this.#blocks) {
      const missing = await this.#missingProgram(block);
      if (missing === undefined) await this.#runBlock(block);
      else skipped.push(`line ${block.line} needs ${missing}`);
    }
    return skipped;
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #runBlock(block: CodeBlock): Promise<void> {
    const { language, code, file, line } = block;
    if (language === "json") JSON.parse(code);
    if (SHOWN_LANGUAGES.includes(language)) return;
    if (!RUN_LANGUAGES.includes(language)) throw new Error(`Line ${line}: unexpected language ${language}`);
    if (language === "sh") return await this.#runShell(block, code);
    if (file === undefined)
      throw new Error(`Line ${line}: the first line must be a comment with a file name`);
    writeFileSync(join(this.#folder, file), code);
    const isUsedByShell = this.#blocks.some((other) => other.language === "sh" && other.code.includes(file));
    const interpreter = INTERPRETERS[file.split(".").pop() ?? ""];
    if (!isUsedByShell) await this.#runShell(block, `${interpreter} ${file}`);
  }

  async #runShell({ line }: CodeBlock, code: string): Promise<void> {
    const script = `. ${this.#variables}\nset -eu -o pipefail -o allexport\n${code}\nexport -p > ${this.#variables}`;
    const { exitCode, output } = await this.#execute(["bash", "-c", script]);
    if (exitCode !== 0)
      throw new Error(`The block in line ${line} failed (${exitCode}):\n${code}\n${output}`);
  }

  async #missingProgram({ language, code }: CodeBlock): Promise<string | undefined> {
    if (language === "python") {
      const { exitCode } = await this.#execute(["bash", "-c", "python3 -c 'import httpx, playwright'"]);
      return exitCode === 0 ? undefined : "Python with httpx and playwright";
    }
    if (language !== "sh") return undefined;
    const programs = ["curl", "zip", "python3", "pip"].filter((name) =>
      new RegExp(`\\b${name}\\b`).test(code),
    );
    return programs.find((name) => !isOnPath(name));
  }

  async #execute([program = "", ...args]: string[]): Promise<{ exitCode: number | null; output: string }> {
    const child = spawn(program, args, {
      cwd: this.#folder,
      env: this.#env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: BLOCK_TIMEOUT_MS,
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    }
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    return { exitCode, output };
  }
}

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));
}
