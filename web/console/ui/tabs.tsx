import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export interface TabItem<T extends string> {
  id: T;
  label: ComponentChildren;
}

interface TabsProps<T extends string> {
  /** Accessible name of the list. */
  label: string;
  items: readonly TabItem<T>[];
  selected: T;
  onSelect: (id: T) => void;
  /** The panel of the selected tab. */
  children: ComponentChildren;
}

/** Tabs as the ARIA practices describe them: arrow keys move between them. */
export function Tabs<T extends string>({ label, items, selected, onSelect, children }: TabsProps<T>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    // Only the list of tabs moves, not the page.
    if (list.current && tab)
      list.current.scrollLeft = tab.offsetLeft - list.current.offsetLeft - tab.offsetWidth;
  }, [selected]);
  const move = (event: KeyboardEvent) => {
    const index = items.findIndex((item) => item.id === selected);
    const last = items.length - 1;
    const targets: Record<string, number> = {
      ArrowRight: index === last ? 0 : index + 1,
      ArrowLeft: index === 0 ? last : index - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    const item = target === undefined ? undefined : items[target];
    if (item === undefined) return;
    event.preventDefault();
    onSelect(item.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[target ?? 0]?.focus();
  };
  return (
    <div class="tabs">
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {items.map((item) => (
          <button
            key={item.id}
            type="button"
            role="tab"
            id={`${id}-${item.id}`}
            class="tab"
            aria-selected={item.id === selected}
            aria-controls={`${id}-panel`}
            tabIndex={item.id === selected ? 0 : -1}
            onClick={() => onSelect(item.id)}
          >
            {item.label}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </div>
  );
}
