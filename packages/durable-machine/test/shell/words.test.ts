import { expect, it } from "vitest";
import { parseScript, printScript, type ScriptNode } from "../../src/shell/just-bash.ts";
import { transformWords } from "../../src/shell/transforms/words.ts";

function printed(script: ScriptNode): string {
  const nested = (inner: ScriptNode) => transformWords(inner, scripts);
  const scripts = { captured: nested, reader: nested, sourceFile: undefined };
  return printScript(nested(script));
}

it.each([
  ["names followed by letters", 'echo "${a}b" $a$b', 'echo "$a${BASH_MACHINE_EMPTY-}b" $a$b'],
  ["an offset from the end", "echo ${a: -1}", "echo ${a:(-1)}"],
  ["a quote in quotes", "echo $'it\\'s'", "echo it\\'s"],
  ["newlines", "a=$'x\\ny'", 'a="x\ny"'],
  ["backquotes", "echo `echo \\`date\\``", "echo $(echo $(date))"],
  ["regular expressions", "[[ $a =~ ^a(b|c)+$ ]]", "=~ ^a(b|c)+$ ]]"],
  ["a here-document", "cat <<X | wc\na $b\nX", 'cat <<< "a $b" | wc'],
  ["a quoted here-document", "cat <<'X'\n$a `b`\nX", 'cat <<< "\\$a \\`b\\`"'],
  ["a here-document with tabs", "cat <<-X\n\t\ta\n\tX", 'cat <<< "a"'],
  ["an empty here-document", "cat <<X\nX", "cat < /dev/null"],
])("prints %s", async (_, script, text) => {
  expect(printed(await parseScript(script))).toContain(text);
});
