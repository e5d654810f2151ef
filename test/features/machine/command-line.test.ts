import { describe, expect, it } from "vitest";
import { commandCandidates } from "../../../src/features/machine/command-line.ts";

describe("commandCandidates", () => {
  it.each<[command: string, args: string[], candidates: string[][]]>([
    ["true", [], [["true"]]],
    ["/usr/bin/env", [], [["/usr/bin/env"]]],
    ["nosuch-program_1.2", [], [["nosuch-program_1.2"]]],
    ["ls -la", [], [["ls -la"], ["bash", "-c", "ls -la"]]],
    ["echo a|wc", [], [["echo a|wc"], ["bash", "-c", "echo a|wc"]]],
    ["a\nb", [], [["a\nb"], ["bash", "-c", "a\nb"]]],
    ["X=1", [], [["X=1"], ["bash", "-c", "X=1"]]],
    ["~/run", [], [["~/run"], ["bash", "-c", "~/run"]]],
    ["*.sh", [], [["*.sh"], ["bash", "-c", "*.sh"]]],
    // A command with arguments is always a program.
    ["ls -la", ["/"], [["ls -la", "/"]]],
    ["bash", ["-c", "echo a b"], [["bash", "-c", "echo a b"]]],
    ["echo", ["$HOME", ""], [["echo", "$HOME", ""]]],
  ])("for %j with arguments %j", (command, args, candidates) => {
    expect(commandCandidates(command, args)).toEqual(candidates);
  });
});
