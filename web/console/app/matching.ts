/** Something that the palette leads to. */
export interface Entry {
  href: string;
  label: string;
  /** What it is, such as `Session`. */
  kind: string;
  /** Also searched, such as an id. */
  detail?: string;
}

/** The entries that contain all words, each once, those that were chosen lately first. */
export function matching(entries: readonly Entry[], recent: readonly Entry[], text: string): Entry[] {
  const words = text.toLowerCase().split(/\s+/);
  const isMatch = ({ label, kind, detail = "" }: Entry) => {
    const searched = `${label} ${kind} ${detail}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  };
  const byAddress = new Map<string, Entry>();
  for (const entry of [...recent, ...entries].filter(isMatch)) {
    if (!byAddress.has(entry.href)) byAddress.set(entry.href, entry);
  }
  return [...byAddress.values()];
}
