import type { FileStatus, FileType } from "durable-machine";

const TYPE_LETTERS: Record<FileType, string> = { file: "", directory: "d", symlink: "L" };

const SPECIAL_BITS: [bit: number, letter: string][] = [
  [0o4000, "u"],
  [0o2000, "g"],
  [0o1000, "t"],
];

const PERMISSION_LETTERS = "rwxrwxrwx";

/** The format of Go's FileMode: `-rw-r--r--`, `dtrwxrwxrwx`. */
export function describeMode({ type, mode }: Pick<FileStatus, "type" | "mode">): string {
  const special = SPECIAL_BITS.filter(([bit]) => (mode & bit) !== 0).map(([, letter]) => letter);
  const letters = TYPE_LETTERS[type] + special.join("");
  const permissions = [...PERMISSION_LETTERS].map((letter, index) =>
    (mode & (0o400 >> index)) === 0 ? "-" : letter,
  );
  return (letters === "" ? "-" : letters) + permissions.join("");
}
