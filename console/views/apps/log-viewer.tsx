import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy.tsx";
import { SearchField } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { formatLog, type LogLine, splitMatches } from "./log-lines.ts";
import type { Log } from "./use-live.ts";

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

const END_DISTANCE_PX = 24;

/** Log lines. The view stays at their end until somebody scrolls up. */
export function LogViewer({ log: { lines, state }, empty }: { log: Log; empty: string }) {
  const [search, setSearch] = useState("");
  const [isAtEnd, setAtEnd] = useState(true);
  const frame = useRef<HTMLDivElement>(null);
  const shown = search === "" ? lines : lines.filter(({ text }) => splitMatches(text, search).length > 1);
  const toEnd = () => frame.current?.scrollTo({ top: frame.current.scrollHeight });
  useLayoutEffect(() => {
    if (isAtEnd) toEnd();
  }, [lines, search]);
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = frame.current ?? {};
    setAtEnd(scrollHeight - scrollTop - clientHeight < END_DISTANCE_PX);
  };
  return (
    <Section
      title="Log"
      actions={
        <div class="filters">
          <LogState state={state} />
          <CopyButton text={formatLog(shown)} what="these lines" />
        </div>
      }
    >
      <div class="filters">
        <SearchField label="Search in the log" value={search} onChange={setSearch} />
        <span class="dim log-count">
          {search === "" ? countLines(lines.length) : `${shown.length} of ${countLines(lines.length)}`}
        </span>
        {!isAtEnd && <Button onClick={toEnd}>To the end</Button>}
      </div>
      <div
        ref={frame}
        class="log"
        role="log"
        aria-live="off"
        aria-label="Log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it.
        tabIndex={0}
        onScroll={onScroll}
      >
        {shown.length === 0 && <p class="dim">{search === "" ? empty : "No line matches."}</p>}
        {shown.map((line) => (
          <Line key={line.number} line={line} search={search} />
        ))}
      </div>
    </Section>
  );
}

function LogState({ state }: { state: Log["state"] }) {
  if (state === "ended") return <Badge>Ended</Badge>;
  return state === "live" ? <Badge tone="info">Live</Badge> : <Badge tone="warn">Connecting…</Badge>;
}

function Line({ line: { at, text, isError }, search }: { line: LogLine; search: string }) {
  return (
    <p class={isError ? "log-line is-bad" : "log-line"}>
      <time dateTime={at} title={at}>
        {CLOCK.format(Date.parse(at))}
      </time>{" "}
      {splitMatches(text, search).map((part, index) => (index % 2 === 0 ? part : <mark>{part}</mark>))}
    </p>
  );
}

function countLines(count: number): string {
  return count === 1 ? "1 line" : `${count.toLocaleString()} lines`;
}
