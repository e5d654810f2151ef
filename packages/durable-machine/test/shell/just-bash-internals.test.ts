import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { CommandContext } from "just-bash/browser";
import { Bash, getCommandNames, InMemoryFs } from "just-bash/browser";
import { describe, expect, it } from "vitest";
import ownPackage from "../../package.json" with { type: "json" };
import { describeMessage } from "../../src/shell/diagnostics.ts";
import {
  type CommandNode,
  isComplete,
  isInSubshell,
  outputPath,
  parseAtOnce,
  parseCommand,
  parseScript,
  printScript,
  ScriptSyntaxError,
  statusOf,
} from "../../src/shell/just-bash.ts";
import { script, simple, statement } from "../../src/shell/transforms/ast.ts";

/** Undocumented behavior of just-bash that the shell relies on; see `src/shell/just-bash.ts`. */

function wordPart(text: string) {
  const command = parseCommand(`: ${text}`);
  return command?.type === "SimpleCommand" ? command.args[0]?.parts[0] : undefined;
}

async function withProbe(
  text: string,
  inspect: (context: CommandContext) => void | Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  let inspected: Promise<void> | undefined;
  const bash = new Bash({
    env,
    defenseInDepth: false,
    customCommands: [
      {
        name: "probe",
        execute: async (_, context) => {
          // Awaited again below, because just-bash catches errors of commands.
          inspected = (async () => inspect(context))();
          await inspected.catch(() => {});
          return { stdout: "", stderr: "", exitCode: 0 };
        },
      },
    ],
  });
  await bash.exec(text, { rawScript: true });
  expect(inspected, "custom commands are not called").toBeDefined();
  await inspected;
}

async function messageOf(text: string): Promise<string> {
  const fs = new InMemoryFs();
  fs.writeFile = () => Promise.reject(new Error("refused"));
  const bash = new Bash({ fs, defenseInDepth: false, executionLimits: { maxCallDepth: 10 } });
  return (await bash.exec(text, { rawScript: true })).stderr;
}

it("has the expected version", () => {
  // The package exports no package.json.
  const bundle = createRequire(import.meta.url).resolve("just-bash");
  const installed = JSON.parse(readFileSync(join(bundle, "../../../package.json"), "utf8"));
  expect(installed.version, "check each test of this file before upgrading").toBe("3.4.2");
  expect(ownPackage.dependencies["just-bash"]).toBe(installed.version);
});

describe("the parser", () => {
  it("passes the script to plugins synchronously", () => {
    expect(parseAtOnce("echo a")?.statements, "exec() calls transform plugins asynchronously").toHaveLength(
      1,
    );
  });

  it.each([
    "if true; then\n",
    "if true; then a; else\n",
    "while a; do\n",
    "for i in 1; do\n",
    "case a in\n",
    "f() {\n",
    "{\n",
    "(echo\n",
    "echo $(\n",
    "echo 'a\n",
    'echo "a\n',
    "x=(a\n",
    "cat <<X\na\n",
    "a &&\n",
    "a |\n",
    "a \\\n",
  ])("reports %j as incomplete", async (text) => {
    expect(await isComplete(text), "positions or texts of syntax errors have changed").toBe(false);
  });

  it.each(["a\n", "if a; then b; fi\n", "fi\n", "if a; then fi\n", "cat <<X\na\nX\n"])(
    "reports %j as complete",
    async (text) => {
      expect(await isComplete(text)).toBe(true);
    },
  );

  it("reports syntax errors", async () => {
    await expect(parseScript("if a; then fi")).rejects.toThrow(ScriptSyntaxError);
  });

  it("keeps the text of each statement", () => {
    const text = 'if true; then local a=("$@" $(b)) c=d; fi';
    const command = parseCommand(text);
    const [first] = command?.type === "If" ? (command.clauses[0]?.body ?? []) : [];
    expect(first?.sourceText, "arrays in declarations are parsed again from this text").toBe(
      'local a=("$@" $(b)) c=d',
    );
  });

  it.each<[string, CommandNode["type"]]>([
    ["a", "SimpleCommand"],
    ["f() { :; }", "FunctionDef"],
    ["(a)", "Subshell"],
    ["{ a; }", "Group"],
    ["if a; then b; fi", "If"],
    ["while a; do b; done", "While"],
    ["until a; do b; done", "Until"],
    ["for a in b; do c; done", "For"],
    ["for ((;;)); do c; done", "CStyleFor"],
    ["case a in b) c;; esac", "Case"],
    ["((a))", "ArithmeticCommand"],
    ["[[ a ]]", "ConditionalCommand"],
  ])("parses %s as a node of type %s", (text, type) => {
    expect(parseCommand(text)?.type).toBe(type);
  });

  it.each([
    ["a", { type: "Literal", value: "a" }],
    ["'a'", { type: "SingleQuoted", value: "a" }],
    ["\\;", { type: "Escaped", value: ";" }],
    ['"a"', { type: "DoubleQuoted", parts: [{ type: "Literal", value: "a" }] }],
    ["*", { type: "Glob", pattern: "*" }],
    ["$a", { type: "ParameterExpansion", parameter: "a", operation: null }],
    ["${a[@]}", { type: "ParameterExpansion", parameter: "a[@]", operation: null }],
    ["${#@}", { type: "ParameterExpansion", parameter: "@", operation: { type: "Length" } }],
    ["${a-b}", { type: "ParameterExpansion", operation: { type: "DefaultValue", checkEmpty: false } }],
    ["${a%b}", { type: "ParameterExpansion", operation: { type: "PatternRemoval", side: "suffix" } }],
    ["${a/b}", { type: "ParameterExpansion", operation: { type: "PatternReplacement" } }],
    ["${a: -1}", { type: "ParameterExpansion", operation: { type: "Substring" } }],
    ["$(a)", { type: "CommandSubstitution", body: { type: "Script" } }],
    ["<(a)", { type: "ProcessSubstitution", direction: "input", body: { type: "Script" } }],
    [
      "$(($(a)))",
      {
        type: "ArithmeticExpansion",
        expression: { expression: { type: "ArithCommandSubst", command: "a" } },
      },
    ],
    [
      "$((${a%b}))",
      {
        type: "ArithmeticExpansion",
        expression: { expression: { type: "ArithBracedExpansion", content: "a%b" } },
      },
    ],
  ])("parses %s as %j", (text, part) => {
    expect(wordPart(text)).toMatchObject(part);
  });

  it("parses words and here-documents as targets of redirections", () => {
    expect(parseCommand("a 2>f")).toMatchObject({
      redirections: [{ fd: 2, operator: ">", target: { type: "Word" } }],
    });
    expect(parseCommand("a <<-X\n\tb\nX")).toMatchObject({
      redirections: [{ target: { type: "HereDoc", stripTabs: true, content: { type: "Word" } } }],
    });
  });
});

it("prints the script that a plugin returns", () => {
  expect(printScript(script([statement(simple("echo", ["a", "b"]))])).trim()).toBe("echo a b");
});

describe("descriptors above 2", () => {
  it.each([
    ["a compound command", "{ probe; } 1001>/tmp/b"],
    ["a function", "f() { probe; }; f 1001>/tmp/b"],
    ["a subshell", "( probe ) 1001>/tmp/b"],
    ["eval", "eval probe 1001>/tmp/b"],
  ])("are redirected for the commands inside %s", (_, text) =>
    withProbe(`exec 1001>/tmp/a; ${text}`, (context) => {
      expect(outputPath(context, 1001), "output does not reach its file").toBe("/tmp/b");
    }),
  );

  it("are restored after the command", () =>
    withProbe("exec 1001>/tmp/a; { :; } 1001>/tmp/b; x=$({ :; } 1001>&1); probe", (context) => {
      expect(outputPath(context, 1001)).toBe("/tmp/a");
    }));

  it("lead to a substitution as duplicates of 1", async () => {
    const bash = new Bash({ defenseInDepth: false });
    const { stdout } = await bash.exec("f() { echo a >&1001; }; x=$({ f; } 1001>&1); echo [$x]");
    expect(stdout, "output does not reach the substitution").toBe("[a]\n");
  });
});

describe("custom commands", () => {
  it("see the files of the script's descriptors", () =>
    withProbe("exec 1001>/tmp/a 1002>>/tmp/b 1003>&1; probe", (context) => {
      expect(outputPath(context, 1001), "entries of fileDescriptors have changed").toBe("/tmp/a");
      expect(outputPath(context, 1002), "entries of fileDescriptors have changed").toBe("/tmp/b");
      expect(outputPath(context, 1003)).toBeUndefined();
      expect(isInSubshell(context), "duplicates are missing from fileDescriptors").toBe(true);
    }));

  it("see the status, the shell's name and variables", () =>
    withProbe(
      "a=1; export b=2; (exit 3); c=4 probe",
      (context) => {
        expect(statusOf(context), "the environment has no $?").toBe(3);
        expect(context.env.get("0")).toBe("name");
        expect(context.env.get("a")).toBe("1");
        expect(context.exportedEnv).toMatchObject({ b: "2", c: "4" });
      },
      { "0": "name" },
    ));

  it("receive the content of an input file unchanged", () =>
    withProbe("printf '\\0live\\0' > /tmp/a; probe < /tmp/a", (context) => {
      expect(String(context.stdin)).toBe("\0live\0");
    }));

  it("can call the bundled command that they replace", async () => {
    const bash = new Bash({
      defenseInDepth: false,
      customCommands: [
        {
          name: "seq",
          execute: async (args, context) =>
            (await context.origCommand?.(args)) ?? { stdout: "", stderr: "", exitCode: 99 },
        },
      ],
    });
    expect(await bash.exec("seq 2"), "origCommand is missing").toMatchObject({
      stdout: "1\n2\n",
      exitCode: 0,
    });
    expect(getCommandNames()).toContain("seq");
  });

  it("run scripts that plugins see", async () => {
    const scripts: number[] = [];
    const bash = new Bash({
      defenseInDepth: false,
      customCommands: [
        {
          name: "probe",
          execute: async (_, context) =>
            (await context.exec?.("echo a; echo b", { cwd: "/" })) ?? { stdout: "", stderr: "", exitCode: 1 },
        },
      ],
    });
    bash.registerTransformPlugin({
      name: "count",
      transform: ({ ast }) => {
        scripts.push(ast.statements.length);
        return { ast };
      },
    });
    await bash.exec("probe", { rawScript: true });
    expect(scripts, "nested scripts do not reach transform plugins").toEqual([1, 2]);
  });
});

it("counts statements of awk, sed and jq for coverage", async () => {
  const hits: string[] = [];
  const bash = new Bash({ defenseInDepth: false, coverage: { hit: (feature) => hits.push(feature) } });
  await bash.exec("awk 'BEGIN { x = 1 }'; echo a | sed s/a/b/; jq -n 1");
  for (const tool of ["awk:", "sed:", "jq:"]) {
    expect(
      hits.some((hit) => hit.startsWith(tool)),
      `${tool} reports nothing, so endless programs cannot be stopped`,
    ).toBe(true);
  }
});

it("does not change $? when a command expands to nothing", async () => {
  const bash = new Bash({ defenseInDepth: false });
  const { stdout } = await bash.exec("(exit 3); ${nothing-}; echo $?", { rawScript: true });
  expect(stdout, "code inserted between commands would change $?").toBe("3\n");
});

describe("messages", () => {
  it.each([
    ["python3", "bash: python3: not available on this machine"],
    ["echo a 3> /tmp/a", "bash: /tmp/a: reason\n"],
    ["cat < /nope", "bash: /nope: reason\n"],
    ["[[ ${x?y} ]]", "bash: conditional expression: a parameter is not set"],
  ])("of %s are recognized", async (text, message) => {
    expect(describeMessage(await messageOf(text), "reason")).toContain(message);
  });

  it("of a limit are recognized", async () => {
    expect(describeMessage(await messageOf("f() { f; }; f"), undefined)).toContain(": limit of this machine");
  });
});
