const NULL_KEY = "\uE000";

/** Shift, control, alt and meta, on both sides of the keyboard. */
const MODIFIERS = /^[\uE008-\uE00A\uE03D\uE050-\uE053]$/;

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Typing as key actions. A modifier is held until it comes again, the null key comes, or the text ends. */
export function toKeyActions(text: string): { type: "keyDown" | "keyUp"; value: string }[] {
  const held = new Set<string>();
  return [...GRAPHEMES.segment(text + NULL_KEY)].flatMap(({ segment: value }) => {
    const down = { type: "keyDown" as const, value };
    const up = { type: "keyUp" as const, value };
    if (value === NULL_KEY) {
      const released = [...held].map((key) => ({ ...up, value: key }));
      held.clear();
      return released;
    }
    if (!MODIFIERS.test(value)) return [down, up];
    if (held.delete(value)) return [up];
    held.add(value);
    return [down];
  });
}
