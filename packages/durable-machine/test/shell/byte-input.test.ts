import { expect, it } from "vitest";
import { ByteInput } from "../../src/shell/byte-input.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (read: Uint8Array | undefined) => read && new TextDecoder().decode(read);

it("reads lines as they arrive, across chunks", async () => {
  const input = new ByteInput();
  const line = input.readLine();
  input.write(bytes("a"));
  input.write(bytes("b\nc\nd"));
  expect(text(await line)).toBe("ab\n");
  expect(text(await input.readLine())).toBe("c\n");
  const last = input.readLine();
  input.close();
  expect(text(await last)).toBe("d");
  expect(await input.readLine()).toBeUndefined();
});

it("reads some, a requested length and all bytes", async () => {
  const input = new ByteInput();
  input.write(bytes("abcdefgh"));
  expect(text(await input.readSome(3))).toBe("abc");
  expect(text(await input.readUntil(undefined, 2))).toBe("de");
  expect(text(await input.readUntil("g".charCodeAt(0), 9))).toBe("fg");
  const rest = input.readAll(5);
  input.write(bytes("ijkl"));
  input.close();
  expect(text(await rest)).toBe("hijkl");
  expect((await input.readSome(1)).length).toBe(0);
});

it("keeps incomplete input after a timeout and an interruption", async () => {
  const input = new ByteInput();
  input.write(bytes("ab"));
  expect((await input.readUntil(10, 9, 5)).length).toBe(0);
  const reading = input.readUntil(10, 9);
  input.interrupt();
  expect((await reading).length).toBe(0);
  input.write(bytes("c\n"));
  expect(text(await input.readLine())).toBe("abc\n");
});

it("rejects reads above the limit and after a failure", async () => {
  const input = new ByteInput(bytes("abc"));
  await expect(input.readAll(2)).rejects.toThrow("input larger than 2 bytes: limit of this machine");
  const waiting = new ByteInput();
  const line = waiting.readLine();
  waiting.fail(new Error("dead"));
  await expect(line).rejects.toThrow("dead");
  await expect(waiting.readSome(1)).rejects.toThrow("dead");
});
