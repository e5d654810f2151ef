export type Command = "palette" | "search" | "keys";

/** Something that the palette leads to. */
export interface Entry {
  href: string;
  label: string;
  /** What it is, such as `Session`. */
  kind: string;
  /** Also searched, such as an id. */
  detail?: string;
}

/** What keys ask for while nobody is typing, such as `Control+k`. */
const COMMANDS: Readonly<Record<string, Command | undefined>> = {
  "Control+k": "palette",
  "Meta+k": "palette",
  "/": "search",
  "?": "keys",
};

type Press = Readonly<{
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}>;

export function toCommand({ key, ctrlKey, metaKey, altKey, shiftKey }: Press): Command | undefined {
  const hasControl = ctrlKey || metaKey;
  // Some keyboards need Shift for the other keys.
  if (altKey || (hasControl && shiftKey)) return undefined;
  return COMMANDS[
    `${ctrlKey ? "Control+" : ""}${metaKey ? "Meta+" : ""}${hasControl ? key.toLowerCase() : key}`
  ];
}

/** The entries that contain all words, each once, those that were chosen lately first. */
export function matching(entries: readonly Entry[], recent: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/);
  const found = [...recent, ...entries].filter(({ label, kind, detail = "" }) => {
    const searched = `${label} ${kind} ${detail}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  return found.filter(({ href }, index) => found.findIndex((other) => other.href === href) === index);
}
