import { useQuery } from "../../app/query.ts";

interface ChipsProps {
  label: string;
  /** Name of the parameter of the address. */
  name: string;
  options: readonly (readonly [string, string])[];
  /** How many rows an option has. */
  counts: ReadonlyMap<string, number>;
}

/** Options of a filter, of which several can be chosen. None: everything is shown. */
export function Chips({ label, name, options, counts }: ChipsProps) {
  const [query, setQuery] = useQuery();
  const chosen = listOf(query[name]);
  const toggle = (option: string) => {
    const next = chosen.includes(option) ? chosen.filter((one) => one !== option) : [...chosen, option];
    setQuery({ [name]: next.join(",") || undefined });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame around the options.
    <div class="toggles" role="group" aria-label={label}>
      {options
        .filter(([option]) => counts.has(option) || chosen.includes(option))
        .map(([option, text]) => (
          <button
            key={option}
            type="button"
            class="toggle"
            aria-pressed={chosen.includes(option)}
            onClick={() => toggle(option)}
          >
            {text} <span class="dim">{counts.get(option) ?? 0}</span>
          </button>
        ))}
    </div>
  );
}

export function listOf(text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : text.split(",");
}

export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}
