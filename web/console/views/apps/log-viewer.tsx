import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { Section } from "../../ui/page.tsx";
import type { Log } from "./use-live.ts";

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

const END_DISTANCE_PX = 24;

const STATES = {
  connecting: <Badge tone="warn">Connecting…</Badge>,
  live: <Badge tone="info">Live</Badge>,
  ended: <Badge>Ended</Badge>,
};

/** Log lines. The view stays at their end until somebody scrolls up. */
export function LogViewer({ log: { lines, state }, empty }: { log: Log; empty: string }) {
  const [isAtEnd, setAtEnd] = useState(true);
  const frame = useRef<HTMLDivElement>(null);
  const toEnd = () => frame.current?.scrollTo({ top: frame.current.scrollHeight });
  useLayoutEffect(() => {
    if (isAtEnd) toEnd();
  }, [lines]);
  return (
    <Section
      title="Log"
      actions={
        <div class="filters">
          {!isAtEnd && <Button onClick={toEnd}>Jump to the end</Button>}
          {STATES[state]}
          <CopyButton text={lines.map(({ at, text }) => `${at} ${text}`).join("\n")} what="these lines" />
        </div>
      }
    >
      <div
        ref={frame}
        class="log"
        role="log"
        aria-live="off"
        aria-label="Log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setAtEnd(scrollHeight - scrollTop - clientHeight < END_DISTANCE_PX)
        }
      >
        {lines.length === 0 && <p class="dim">{empty}</p>}
        {lines.map(({ number, at, text, isError }) => (
          <p key={number} class={isError ? "log-line is-bad" : "log-line"}>
            <time dateTime={at} title={at}>
              {CLOCK.format(Date.parse(at))}
            </time>{" "}
            {text}
          </p>
        ))}
      </div>
    </Section>
  );
}
