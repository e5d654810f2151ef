/** How a character that is no digit is ordered: letters before all others, and a tilde before the text's end. */
function rank(text: string, index: number): number {
  const character = text.charAt(index);
  if (character === "" || /\d/.test(character)) return 0;
  if (character === "~") return -1;
  return character.charCodeAt(0) + (/[A-Za-z]/.test(character) ? 0 : 256);
}

function compareTexts(left: string, right: string): number {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const difference = rank(left, index) - rank(right, index);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Which of two names has the earlier version: numbers count by their value. Negative: the left one. */
export function compareVersions(left: string, right: string): number {
  // Texts and numbers in turn, beginning with a text.
  const [a, b] = [left.split(/(\d+)/), right.split(/(\d+)/)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [one = "", other = ""] = [a[index], b[index]];
    const difference = index % 2 === 0 ? compareTexts(one, other) : Number(one) - Number(other);
    if (difference !== 0) return difference;
  }
  return 0;
}
