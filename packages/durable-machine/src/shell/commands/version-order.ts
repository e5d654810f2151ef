function orderOf(text: string, index: number): number {
  const code = index < text.length ? text.charCodeAt(index) : -1;
  if (code === -1) return -1;
  if (code >= 0x30 && code <= 0x39) return 0;
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)) return code;
  // A tilde comes before everything, even before the end.
  return code === 0x7e ? -2 : code + 256;
}

function isDigit(text: string, index: number): boolean {
  return orderOf(text, index) === 0;
}

function digitsFrom(text: string, start: number): string {
  let end = start;
  while (isDigit(text, end)) end++;
  return text.slice(start, end);
}

/** A name without what counts only among equals: `.tar.gz`. */
function withoutSuffix(name: string): string {
  let length = name.length;
  // From the end, one suffix after the other: an expression would begin anew at each point of a long line.
  for (let index = name.length - 1; index >= 0; index--) {
    const character = name.charAt(index);
    if (/[A-Za-z0-9~]/.test(character)) continue;
    if (character !== "." || !/[A-Za-z~]/.test(name.charAt(index + 1))) break;
    length = index;
  }
  return name.slice(0, length);
}

function compareNumbers(left: string, right: string): number {
  const a = left.replace(/^0+/, "");
  const b = right.replace(/^0+/, "");
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareParts(left: string, right: string): number {
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    while ((i < left.length && !isDigit(left, i)) || (j < right.length && !isDigit(right, j))) {
      const difference = orderOf(left, i) - orderOf(right, j);
      if (difference !== 0) return difference;
      i++;
      j++;
    }
    const a = digitsFrom(left, i);
    const b = digitsFrom(right, j);
    const difference = compareNumbers(a, b);
    if (difference !== 0) return difference;
    i += a.length;
    j += b.length;
  }
  return 0;
}

/** Which of two byte strings is the earlier version: `sort -V`. Negative: the left one. */
export function compareVersions(left: string, right: string): number {
  if (left === right) return 0;
  if (left === "" || right === "") return left === "" ? -1 : 1;
  for (const special of [".", ".."]) {
    if (left === special || right === special) return left === special ? -1 : 1;
  }
  const leftHidden = left.startsWith(".");
  if (leftHidden !== right.startsWith(".")) return leftHidden ? -1 : 1;
  const leftPart = withoutSuffix(left);
  const rightPart = withoutSuffix(right);
  const same = leftPart === rightPart;
  return (same ? 0 : compareParts(leftPart, rightPart)) || compareParts(left, right);
}
