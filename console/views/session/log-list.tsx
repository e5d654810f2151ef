import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";

/** Rows that are rendered at first, and with each step back. */
const STEP = 300;

/** How near to its end a list counts as read to the end. */
const END_PX = 40;

interface LogListProps<T> {
  label: string;
  items: readonly T[];
  idOf: (item: T) => number;
  summary: (item: T) => ComponentChildren;
  details: (item: T) => ComponentChildren;
  isBad: (item: T) => boolean;
  /** Above the rows. */
  head?: ComponentChildren;
  /** The item that a recording shows. */
  current?: number;
  onOpen?: (item: T) => void;
}

/** The latest rows of a log, of which one can be opened. It follows new rows only while its end is in view. */
export function LogList<T>({ label, items, idOf, head, current, onOpen, ...parts }: LogListProps<T>) {
  const [count, setCount] = useState(STEP);
  const [open, setOpen] = useState<number>();
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const last = items.at(-1);
  const lastId = last === undefined ? undefined : idOf(last);
  useLayoutEffect(() => {
    const element = box.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [lastId]);
  useLayoutEffect(() => {
    const row = box.current?.querySelector<HTMLElement>(".is-current");
    // Only the list moves, not the page.
    if (box.current && row) box.current.scrollTop = row.offsetTop - box.current.clientHeight / 2;
  }, [current]);
  const hidden = Math.max(0, items.length - count);
  const toggle = (item: T) => {
    const isOpen = open === idOf(item);
    setOpen(isOpen ? undefined : idOf(item));
    if (!isOpen) onOpen?.(item);
  };
  const watchEnd = ({
    currentTarget: { scrollHeight, scrollTop, clientHeight },
  }: {
    currentTarget: Element;
  }) => {
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PX;
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
    <section ref={box} class="events" aria-label={label} tabIndex={0} onScroll={watchEnd}>
      {head}
      {hidden > 0 && (
        <Button kind="quiet" onClick={() => setCount(count + STEP)}>
          Show {Math.min(STEP, hidden)} earlier of {hidden}
        </Button>
      )}
      <ol class="event-rows">
        {items.slice(hidden).map((item) => (
          <LogRow
            key={idOf(item)}
            item={item}
            isOpen={open === idOf(item)}
            isCurrent={current === idOf(item)}
            toggle={toggle}
            {...parts}
          />
        ))}
      </ol>
    </section>
  );
}

interface LogRowProps<T> extends Pick<LogListProps<T>, "summary" | "details" | "isBad"> {
  item: T;
  isOpen: boolean;
  isCurrent: boolean;
  toggle: (item: T) => void;
}

function LogRow<T>({ item, isOpen, isCurrent, toggle, summary, details, isBad }: LogRowProps<T>) {
  const latestToggle = useRef(toggle);
  latestToggle.current = toggle;
  const className = ["event-row", isBad(item) && "is-bad", isCurrent && "is-current"]
    .filter(Boolean)
    .join(" ");
  // Rows that have not changed are not rendered again.
  return useMemo(
    () => (
      <li class={className}>
        <button type="button" aria-expanded={isOpen} onClick={() => latestToggle.current(item)}>
          {summary(item)}
        </button>
        {isOpen && <div class="event-details">{details(item)}</div>}
      </li>
    ),
    [item, isOpen, className],
  );
}
