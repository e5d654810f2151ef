import type { FileStatus } from "../../file-system/file-system.ts";
import { UsageError } from "./options.ts";
import { quoteWord } from "./quoting.ts";

export type ModeChange = (current: number, isDirectory: boolean) => number;

const SET_IDS = 0o6000;

const CLASSES: Record<string, number> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };

const PERMISSIONS: Record<string, number> = { r: 0o444, w: 0o222, x: 0o111, s: SET_IDS, t: 0o1000 };

/** The permissions as `ls -l` shows them, after the letter of the file's type. */
export function formatMode({ type, mode }: { type: FileStatus["type"] | "device"; mode: number }): string {
  const letter = { file: "-", directory: "d", symlink: "l", device: "c" }[type];
  return letter + formatPermissions(mode);
}

export function formatPermissions(mode: number): string {
  const letters = [..."rwxrwxrwx"].map((letter, index) => ((mode & (0o400 >> index)) === 0 ? "-" : letter));
  for (const [index, letter] of [..."sst"].entries()) {
    const place = 3 * index + 2;
    if (mode & (0o4000 >> index)) letters[place] = letters[place] === "x" ? letter : letter.toUpperCase();
  }
  return letters.join("");
}

function bitsOf(permissions: string, mode: number, isDirectory: boolean): number {
  const isRunnable = isDirectory || (mode & 0o111) !== 0;
  let bits = 0;
  for (const letter of permissions) {
    const shift = { u: 6, g: 3, o: 0 }[letter];
    if (shift !== undefined) bits |= ((mode >> shift) & 7) * 0o111;
    else bits |= PERMISSIONS[letter === "X" && isRunnable ? "x" : letter] ?? 0;
  }
  return bits;
}

function parseClause(clause: string, umask: number): ModeChange | undefined {
  const [, classes = "", actions] = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]))+)$/.exec(clause) ?? [];
  if (actions === undefined) return undefined;
  const named = [...classes].reduce((bits, letter) => bits | (CLASSES[letter] ?? 0), 0);
  // Without a class it means all of them, less the umask.
  const affected = classes === "" ? 0o7777 & ~umask : named;
  return (current, isDirectory) => {
    let mode = current;
    for (const [, operator, permissions = ""] of actions.matchAll(/([-+=])([rwxXstugo]*)/g)) {
      const bits = bitsOf(permissions, mode, isDirectory) & affected;
      // A directory keeps its set-id bits unless they are named.
      const kept = isDirectory && !permissions.includes("s") ? SET_IDS : 0;
      if (operator === "=") mode &= ~(classes === "" ? 0o7777 : affected) | kept;
      mode = operator === "-" ? mode & ~bits : mode | bits;
    }
    return mode;
  };
}

/** Reads a mode such as `755` or `u+x,go=`. @throws UsageError */
export function readModeChange(text: string, umask: number): ModeChange {
  if (/^0*[0-7]{1,4}$/.test(text)) {
    const mode = Number.parseInt(text, 8);
    // A directory keeps its set-id bits unless all digits are written.
    return (current, isDirectory) => (isDirectory && text.length < 5 ? mode | (current & SET_IDS) : mode);
  }
  const changes = text.split(",").map((clause) => parseClause(clause, umask));
  if (!changes.every((change) => change !== undefined))
    throw new UsageError(`invalid mode: ${quoteWord(text)}`);
  return (current, isDirectory) => changes.reduce((mode, change) => change(mode, isDirectory), current);
}
