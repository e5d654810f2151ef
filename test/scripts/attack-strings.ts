import { type AST, RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";

/** Characters that hostile text tends to repeat. */
const COMMON = [..." \ta0_/\\\"':.-=\n\0é"];

type Part = AST.Alternative["elements"][number];

/** The repetitions that make a regular expression backtrack most, each with a text before and one after. */
export function attacksOn(regex: RegExp): { start: string; pump: string; end: string }[] {
  const { pattern } = new RegExpParser().parseLiteral(String(regex));
  const characters = [...new Set([...COMMON, ...regex.source])];
  const starts = new Set([""]);
  const pumps = new Set<string>();
  const ends = new Set(["", "!"]);

  const charactersOf = (part: AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass) => {
    const set = new RegExp(`^${part.raw}$`, regex.flags.replace(/[gym]/g, ""));
    return characters.filter((character) => set.test(character));
  };
  const shortest = (part: Part): string => {
    if (part.type === "Character") return String.fromCodePoint(part.value);
    if (part.type === "Quantifier") return shortest(part.element).repeat(Math.min(part.min, 64));
    if (part.type === "Group" || part.type === "CapturingGroup") return join(part.alternatives[0]?.elements);
    if (part.type === "Assertion" || part.type === "Backreference") return "";
    return charactersOf(part)[0] ?? "";
  };
  const join = (parts: readonly Part[] = []) => parts.map(shortest).join("");
  const before = (node: AST.Node): string => {
    const { parent } = node;
    if (parent === null) return "";
    const earlier =
      parent.type === "Alternative" ? parent.elements.filter(({ end }) => end <= node.start) : [];
    return before(parent) + join(earlier);
  };

  const addCharacters = (set: AST.CharacterSet | AST.CharacterClass) => {
    const matching = charactersOf(set);
    for (const pump of matching.slice(0, 4)) pumps.add(pump);
    // It ends the repetition and makes most expressions fail.
    ends.add(characters.find((character) => !matching.includes(character)) ?? "");
  };

  visitRegExpAST(pattern, {
    onAlternativeEnter: (alternative) => void pumps.add(join(alternative.elements)),
    onCharacterEnter: ({ value }) => void pumps.add(String.fromCodePoint(value)),
    onCharacterSetEnter: addCharacters,
    onCharacterClassEnter: addCharacters,
    onQuantifierEnter(quantifier) {
      const start = before(quantifier);
      starts.add(start);
      const { element } = quantifier;
      const sample = shortest(element) || "a";
      pumps.add(sample);
      pumps.add(start + sample);
    },
  });
  pumps.delete("");
  return [...starts].flatMap((start) =>
    [...pumps].flatMap((pump) => [...ends].map((end) => ({ start, pump, end }))),
  );
}
