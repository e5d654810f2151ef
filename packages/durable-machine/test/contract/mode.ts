const TYPE = 0o170000;

export function isFile(mode: number): boolean {
  return (mode & TYPE) === 0o100000;
}

function isDirectory(mode: number): boolean {
  return (mode & TYPE) === 0o040000;
}

export function isSymlink(mode: number): boolean {
  return (mode & TYPE) === 0o120000;
}

/** Type and permissions as Go formats them, as in the API's responses. */
export function describeMode(mode: number): string {
  const special = [
    isDirectory(mode) && "d",
    isSymlink(mode) && "L",
    (mode & 0o4000) !== 0 && "u",
    (mode & 0o2000) !== 0 && "g",
    (mode & 0o1000) !== 0 && "t",
  ].filter((letter) => letter !== false);
  const rights = [..."rwxrwxrwx"].map((letter, index) => ((mode >> (8 - index)) & 1 ? letter : "-"));
  return (special.length > 0 ? special : ["-"]).concat(rights).join("");
}
