import { expect, it } from "vitest";
import { parseScript } from "../../src/shell/just-bash.ts";
import { printable } from "../../src/shell/transforms/printable.ts";

it.each([
  ["names that letters follow", 'echo "${a}b" ${a}b $a$b', 'echo "${a}b" ${a}b $a$b'],
  ["an offset from the end", "echo ${a: -1}", "echo ${a:(-1)}"],
  ["a quote in quotes", "echo $'it\\'s'", "echo it\\'s"],
  ["newlines", "a=$'x\\ny'", 'a="x\ny"'],
  ["backquotes", "echo `echo \\`date\\``", "echo $(echo $(date))"],
  ["regular expressions", "[[ $a =~ ^a(b|c)+$ ]]", "[[ $a =~ ^a(b|c)+$ ]]"],
  ["a here-document", "cat <<X | wc\na $b\nX", 'cat <<< "a $b" | wc'],
  ["a here-document that nothing is expanded in", "cat <<'X'\n$a `b`\nX", 'cat <<< "\\$a \\`b\\`"'],
  ["a here-document with tabs", "cat <<-X\n\t\ta\n\tX", 'cat <<< "a"'],
  ["an empty here-document", "cat <<X\nX", "cat < /dev/null"],
])("prints %s", async (_, script, printed) => {
  expect(printable(await parseScript(script))).toBe(printed);
});
