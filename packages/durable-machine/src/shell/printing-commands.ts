import type { CommandContext, ExecResult } from "just-bash/browser";
import { toByteString } from "./byte-strings.ts";
import { bundledCommand } from "./just-bash.ts";
import type { ShellCommand } from "./shell-commands.ts";

/**
 * The bundled `echo` and `printf` write text, in which `\xff` is a letter. Given arguments of which each character is
 * a byte, they write bytes.
 */
export const PRINTING_COMMANDS: Readonly<Record<string, ShellCommand>> = {
  echo: (_, args, context) => print(args, context, !args.some((arg) => arg.includes("\\"))),
  printf: (_, args, context) => print(args, context, args[0] === "-v"),
};

async function print(args: string[], context: CommandContext, isText: boolean): Promise<ExecResult> {
  const bundled = bundledCommand(context);
  if (isText) return await bundled(args);
  return { ...(await bundled(args.map(toBytes))), stdoutKind: "bytes" };
}

function toBytes(arg: string): string {
  const text = arg.replace(/\\(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/g, (written, short, long) => {
    const code = Number.parseInt(short ?? long, 16);
    return code <= 0x10ffff && code > 0x7f ? String.fromCodePoint(code) : written;
  });
  return toByteString(new TextEncoder().encode(text));
}
