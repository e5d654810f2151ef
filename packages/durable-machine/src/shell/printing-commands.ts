import type { CommandContext, ExecResult } from "just-bash/browser";
import { toByteString } from "./byte-strings.ts";
import { bundledCommand } from "./just-bash.ts";
import type { ShellCommand } from "./shell-commands.ts";

const encoder = new TextEncoder();

/**
 * `echo` and `printf` byte by byte. The bundled ones write text, in which the byte of `\xff` is a letter; given
 * arguments of which each character is a byte, they write bytes.
 */
export const PRINTING_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  echo: (_, args, context) => print(args, context, isPlainEcho(args)),
  printf: (_, args, context) => print(args, context, args[0] === "-v"),
};

/** Without escapes, text is as good as bytes. */
function isPlainEcho(args: readonly string[]): boolean {
  return !args.some((arg) => arg.includes("\\"));
}

async function print(args: string[], context: CommandContext, isText: boolean): Promise<ExecResult> {
  const bundled = bundledCommand(context);
  if (isText) return await bundled(args);
  const result = await bundled(args.map(toBytes));
  return { ...result, stdoutKind: "bytes" };
}

/** An argument with a character for each byte, the letters of `\u` escapes among them. */
function toBytes(arg: string): string {
  const text = arg.replace(/\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/g, (written, short, long) => {
    const code = Number.parseInt(short ?? long, 16);
    return code <= 0x10ffff && code > 0x7f ? String.fromCodePoint(code) : written;
  });
  return toByteString(encoder.encode(text));
}
