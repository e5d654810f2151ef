import { describe, expect, it } from "vitest";
import { KERNEL_USER } from "../../identity.ts";
import { onMachine } from "../processes.ts";

describe("cp -p", () => {
  it("preserves set-id bits only for the file's owner", () =>
    onMachine(async (machine) => {
      await machine.bash("echo x > program; chmod 6755 program");
      await machine.bash("cp -p program copy", { user: KERNEL_USER });
      await machine.bash("cp -p program same");
      const { stdout } = await machine.bash("stat -c '%a %U' copy same");
      expect(stdout).toBe("755 kernel\n6755 root\n");
    }));
});

describe("rm -r", () => {
  it("removes permitted files and reports others", () =>
    onMachine(async (machine) => {
      await machine.bash("mkdir -p tree/closed; touch tree/a tree/closed/b; chmod 777 tree");
      const { stderr, end } = await machine.bash("rm -r tree", { user: KERNEL_USER });
      expect(stderr).toBe("rm: cannot remove 'tree/closed/b': Permission denied\n");
      expect(end).toEqual({ by: "exit", code: 1 });
      const { stdout } = await machine.bash("find tree");
      expect(stdout).toBe("tree\ntree/closed\ntree/closed/b\n");
    }));
});
