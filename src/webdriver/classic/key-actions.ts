const NULL_KEY = "\uE000";

/** Shift, control, alt and meta, on both sides of the keyboard. */
const MODIFIERS = /^[\uE008-\uE00A\uE03D\uE050-\uE053]$/;

const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

interface KeyAction {
  type: "keyDown" | "keyUp";
  value: string;
}

/** Typing as key actions. A modifier is held until it comes again, the null key comes, or the text ends. */
export function toKeyActions(text: string): KeyAction[] {
  const held = new Set<string>();
  const actions: KeyAction[] = [];
  const release = () => {
    for (const value of held) actions.push({ type: "keyUp", value });
    held.clear();
  };
  for (const { segment: value } of GRAPHEMES.segment(text)) {
    if (value === NULL_KEY) release();
    else if (!MODIFIERS.test(value)) actions.push({ type: "keyDown", value }, { type: "keyUp", value });
    else if (held.delete(value)) actions.push({ type: "keyUp", value });
    else {
      held.add(value);
      actions.push({ type: "keyDown", value });
    }
  }
  release();
  return actions;
}
