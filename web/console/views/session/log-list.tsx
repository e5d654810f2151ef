import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import type { LogItem } from "./timeline.ts";

/** Rows that are rendered at first, and with each step back. */
const STEP = 300;

/** How near to its end a list counts as read to the end. */
const END_PX = 40;

interface LogListProps {
  label: string;
  items: readonly LogItem[];
  summary: (item: LogItem) => ComponentChildren;
  details: (item: LogItem) => ComponentChildren;
  /** Above the rows. */
  head?: ComponentChildren;
  /** The time that a recording shows. */
  time: number | undefined;
  onOpen: (item: LogItem) => void;
}

/** A log's latest rows, of which one can be opened. It follows new rows only while its end is in view. */
export function LogList({ label, items, summary, details, head, time, onOpen }: LogListProps) {
  const [count, setCount] = useState(STEP);
  const [open, setOpen] = useState<number>();
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const hidden = Math.max(0, items.length - count);
  const current = time === undefined ? undefined : items.findLast(({ at }) => at <= time)?.id;
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [items.at(-1)?.id]);
  useLayoutEffect(() => {
    const row = box.current?.querySelector<HTMLElement>(".is-current");
    // Only the list moves, not the page.
    if (box.current && row) box.current.scrollTop = row.offsetTop - box.current.clientHeight / 2;
  }, [current]);
  const toggle = (item: LogItem) => {
    setOpen(open === item.id ? undefined : item.id);
    if (open !== item.id) onOpen(item);
  };
  return (
    <section
      ref={box}
      class="events"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
      }}
    >
      {head}
      {hidden > 0 && (
        <Button kind="quiet" onClick={() => setCount(count + STEP)}>
          Show {Math.min(STEP, hidden)} earlier of {hidden}
        </Button>
      )}
      <ol class="event-rows">
        {items.slice(hidden).map((item) => (
          <li
            key={item.id}
            class={`event-row ${item.isError ? "is-bad" : ""} ${item.id === current ? "is-current" : ""}`}
          >
            <button type="button" aria-expanded={item.id === open} onClick={() => toggle(item)}>
              {summary(item)}
            </button>
            {item.id === open && <div class="event-details">{details(item)}</div>}
          </li>
        ))}
      </ol>
    </section>
  );
}
