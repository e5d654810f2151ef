import type { FileStatus } from "../../file-system/file-system.ts";

/** Reckons a file's new permission bits. */
export type ModeChange = (current: number, isDirectory: boolean) => number;

const READ = 0o444;
const WRITE = 0o222;
const EXECUTE = 0o111;
const SET_IDS = 0o6000;
const SET_USER = 0o4000;
const SET_GROUP = 0o2000;
const STICKY = 0o1000;

const CLASS_BITS: Record<string, number> = {
  u: 0o700 | SET_USER,
  g: 0o070 | SET_GROUP,
  o: 0o007,
  a: 0o777 | SET_IDS | STICKY,
};

/** The permissions as `ls -l` shows them, with the file's type in front. */
export function formatMode({ type, mode }: { type: FileStatus["type"] | "device"; mode: number }): string {
  const letter = { file: "-", directory: "d", symlink: "l", device: "c" }[type];
  return letter + formatPermissions(mode);
}

/** `rwxr-xr-x` */
export function formatPermissions(mode: number): string {
  const letters = [..."rwxrwxrwx"].map((letter, index) => ((mode & (0o400 >> index)) === 0 ? "-" : letter));
  const mark = (bit: number, index: number, letter: string) => {
    if ((mode & bit) === 0) return;
    letters[index] = letters[index] === "x" ? letter : letter.toUpperCase();
  };
  mark(SET_USER, 2, "s");
  mark(SET_GROUP, 5, "s");
  mark(STICKY, 8, "t");
  return letters.join("");
}

/** `0644`, as the core utilities write it. */
export function formatOctal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** The rights of one class, in all three. */
function copyClass(mode: number, letter: string): number {
  const shift = { u: 6, g: 3, o: 0 }[letter] ?? 0;
  return ((mode >> shift) & 7) * 0o111;
}

function permissionBits(permissions: string, mode: number, isDirectory: boolean): number {
  let bits = 0;
  for (const letter of permissions) {
    if (letter === "r") bits |= READ;
    if (letter === "w") bits |= WRITE;
    if (letter === "x" || (letter === "X" && (isDirectory || (mode & EXECUTE) !== 0))) bits |= EXECUTE;
    if (letter === "s") bits |= SET_IDS;
    if (letter === "t") bits |= STICKY;
    if ("ugo".includes(letter)) bits |= copyClass(mode, letter);
  }
  return bits;
}

function parseClause(clause: string, umask: number): ModeChange | undefined {
  const [, classes = "", actions = ""] =
    /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]|[0-7]+))+)$/.exec(clause) ?? [];
  if (actions === "") return undefined;
  const named = [...classes].reduce((bits, letter) => bits | (CLASS_BITS[letter] ?? 0), 0);
  // Without a class it means all, but for what the umask takes away.
  const affected = classes === "" ? 0o7777 & ~umask : named;
  const steps = [...actions.matchAll(/([-+=])([rwxXstugo]*|[0-7]+)/g)];
  return (current, isDirectory) => {
    let mode = current;
    for (const [, operator, permissions = ""] of steps) {
      const bits = permissionBits(permissions, mode, isDirectory) & affected;
      if (operator === "+") mode |= bits;
      if (operator === "-") mode &= ~bits;
      if (operator === "=")
        mode = (mode & ~clearedBits(classes === "" ? 0o7777 : affected, isDirectory, permissions)) | bits;
    }
    return mode;
  };
}

/** What `=` takes away: of a directory not the set-id bits, unless it speaks of them. */
function clearedBits(affected: number, isDirectory: boolean, permissions: string): number {
  return isDirectory && !permissions.includes("s") ? affected & ~SET_IDS : affected;
}

/**
 * Reads a mode as `chmod` takes it, `755` or `u+x,go=`; undefined: it is none.
 *
 * @param umask what symbolic modes without a class leave out.
 */
export function parseModeChange(text: string, umask: number): ModeChange | undefined {
  if (/^[0-7]+$/.test(text)) {
    const mode = Number.parseInt(text, 8);
    if (mode > 0o7777) return undefined;
    // A directory keeps its set-id bits, unless all digits are written.
    return (current, isDirectory) => (isDirectory && text.length < 5 ? mode | (current & SET_IDS) : mode);
  }
  const changes: ModeChange[] = [];
  for (const clause of text.split(",")) {
    const change = parseClause(clause, umask);
    if (change === undefined) return undefined;
    changes.push(change);
  }
  return (current, isDirectory) => changes.reduce((mode, change) => change(mode, isDirectory), current);
}
