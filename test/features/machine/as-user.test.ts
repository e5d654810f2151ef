import { describe, expect, it } from "vitest";
import { resolveUser } from "../../../src/features/machine/resolve-user.ts";

describe("resolveUser", () => {
  it.each<[asUser: string | undefined, asRoot: boolean, name: string, uid: number, gid: number]>([
    [undefined, false, "kernel", 1000, 1000],
    ["", false, "kernel", 1000, 1000],
    [undefined, true, "root", 0, 0],
    ["", true, "root", 0, 0],
    ["root", false, "root", 0, 0],
    ["0", false, "root", 0, 0],
    ["kernel", false, "kernel", 1000, 1000],
    ["1000", false, "kernel", 1000, 1000],
    ["kernel:0", false, "kernel", 1000, 0],
    ["0:77", false, "root", 0, 77],
  ])("resolves %j, as root: %j", (asUser, asRoot, name, uid, gid) => {
    expect(resolveUser({ asUser, asRoot })).toMatchObject({ name, uid, gid });
  });

  it.each([
    ["nobody-here", 'failed to lookup user "nobody-here": user: unknown user nobody-here'],
    ["9", 'failed to lookup user "9": user: unknown userid 9'],
    ["nobody:1", 'failed to lookup user "nobody": user: unknown user nobody'],
    ["kernel:wheel", 'gid override must be numeric, got "wheel"'],
    ["kernel:", 'gid override must be numeric, got ""'],
    ["kernel:1:2", 'gid override must be numeric, got "1:2"'],
    [":5", 'failed to lookup user "": user: unknown user '],
  ])("rejects %j", (asUser, message) => {
    expect(() => resolveUser({ asUser, asRoot: false })).toThrow(message);
  });
});
