import { KEYSYM_TABLE } from "./keysym-table.ts";

export const UNICODE_KEYSYMS = 0x01000000;

/** X11 gives the characters of Latin-1 their own numbers, and all others their numbers plus an offset. */
function unicodeOf(keysym: number): number | undefined {
  if (keysym <= 0xff) return keysym;
  const codePoint = keysym - UNICODE_KEYSYMS;
  return codePoint > 0 && codePoint <= 0x10ffff ? codePoint : undefined;
}

/** The keysyms of the table. An entry leaves out what follows from the entry before, or from its value. */
export function listKeysyms(): { names: string[]; value: number; codePoint?: number }[] {
  let value = 0;
  return KEYSYM_TABLE.trim()
    .split(/\s+/)
    .map((entry) => {
      const [names = "", digits = "", character = ""] = entry.split(":");
      value = digits === "" ? value + 1 : Number.parseInt(digits, 16);
      const codePoint = character === "" ? unicodeOf(value) : Number.parseInt(character, 16);
      return { names: names.split(","), value, codePoint };
    });
}
