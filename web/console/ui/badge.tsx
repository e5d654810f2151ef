import type { ComponentChildren } from "preact";

export type Tone = "neutral" | "good" | "bad" | "warn" | "info";

/** A short word about a state. The word says it all; the color only repeats it. */
export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge is-${tone}`}>{children}</span>;
}

export function Tags({ tags }: { tags: Record<string, string> }) {
  const entries = Object.entries(tags);
  if (entries.length === 0) return <span class="dim">–</span>;
  return (
    <ul class="tags" aria-label="Tags">
      {entries.map(([key, value]) => (
        <li key={key} class="tag">
          {key}={value}
        </li>
      ))}
    </ul>
  );
}
