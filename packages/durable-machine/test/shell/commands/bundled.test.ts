import { InMemoryFs } from "just-bash/browser";
import { describe, expect, it } from "vitest";
import { bundledArguments } from "../../../src/shell/bundled-arguments.ts";

describe("bundledArguments", () => {
  const fs = new InMemoryFs({
    "/a": "text of a",
    "/b": "text of b",
    "/f": { content: "", mtime: new Date(5000) },
  });
  const context = { fs, cwd: "/", env: new Map<string, string>() };

  it.each([
    { name: "date", args: ["-r", "f", "+%s"], translated: ["-u", "-d", "@5", "+%s"] },
    {
      name: "date",
      args: ["-d", "1970-01-01 +1 day", "-Is"],
      translated: ["-u", "-d", "@86400", "+%FT%T+00:00"],
    },
    { name: "awk", args: ["-F\\t", "{}"], translated: ["-F", "\\t", "{}"] },
    { name: "awk", args: ["-F", ", *", "{}", "-"], translated: ["-F", ", *", "{}"] },
    { name: "awk", args: ["-f", "a", "-f", "b", "c"], translated: ["text of a\ntext of b", "c"] },
    { name: "awk", args: ['-vORS="', "{}"], translated: ['BEGIN{ORS="\\"";}\n{}'] },
    { name: "sed", args: ["-ni.b", "p", "f"], translated: ["-n", "-i", "-e", "p", "f"] },
    { name: "sort", args: ["-F."], translated: ["-F."] },
  ])("translates $name $args to $translated", async ({ name, args, translated }) => {
    expect(await bundledArguments(name, args, context)).toEqual(translated);
  });
});
