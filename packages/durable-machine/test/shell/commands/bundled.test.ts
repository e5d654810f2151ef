import { describe, expect, it } from "vitest";
import { mendArguments } from "../../../src/shell/bundled-arguments.ts";

describe("a mended command line", () => {
  const files = {
    readText: async (path: string) => `text of ${path}`,
    copy: async () => {},
    modifiedAt: async () => 5000,
    zone: "",
  };

  it.each([
    { name: "date", args: ["-r", "f", "+%s"], mended: ["-u", "-d", "@5", "+%s"] },
    {
      name: "date",
      args: ["-d", "1970-01-01 +1 day", "-Is"],
      mended: ["-u", "-d", "@86400", "+%FT%T+00:00"],
    },
    { name: "awk", args: ["-Ft", "{}"], mended: ["-F", "\\t", "{}"] },
    { name: "awk", args: ["-F\\t", "{}"], mended: ["-F", "\\t", "{}"] },
    { name: "awk", args: ["-F", ", *", "{}", "-"], mended: ["-F", ", *", "{}"] },
    { name: "awk", args: ["-f", "a", "-f", "b", "c"], mended: ["text of a\ntext of b", "c"] },
    { name: "awk", args: ['-vORS="', "{}"], mended: ['BEGIN{ORS="\\"";}\n{}'] },
    {
      name: "awk",
      args: ["-F.", "{ print split($1, a) }"],
      mended: ["-F", "\\.", '{ print split($1, a,".") }'],
    },
    { name: "grep", args: ["-5", "x", "f"], mended: ["-C", "5", "-e", "x", "--", "f"] },
    { name: "grep", args: ["-A", "-5", "x"], mended: ["-A", "-5", "-e", "x", "--"] },
    { name: "grep", args: ["-F", "\\<", "f"], mended: ["-F", "-e", "\\<", "--", "f"] },
    { name: "grep", args: ["-R", "x"], mended: ["-r", "-e", "x", "--", "."] },
    { name: "grep", args: ["-cH", "x", "f"], mended: ["-c", "-e", "x", "--", "f"] },
    { name: "sed", args: ["-ni.b", "p", "f"], mended: ["-n", "-i", "-e", "p", "f"] },
    { name: "sort", args: ["-F."], mended: ["-F."] },
  ])("of $name $args is $mended", async ({ name, args, mended }) => {
    expect(await mendArguments(name, args, files)).toEqual(mended);
  });
});
