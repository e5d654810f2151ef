import { useMemo } from "preact/hooks";
import { useQuery } from "../../app/query.ts";
import { formatExact } from "../../ui/format.ts";
import { SearchField } from "../../ui/list.tsx";
import { type ConsoleEntry, filterConsole, LEVELS, toConsole } from "./console-log.ts";
import { formatOffset, toRow, toShown } from "./events.ts";
import { Chips, countBy, listOf } from "./filters.tsx";
import { LogList } from "./log-list.tsx";
import type { PanelProps } from "./panel.ts";
import { LogState, Recorded } from "./timeline-tab.tsx";
import type { EventLog } from "./use-events.ts";

const LEVEL_NAMES = LEVELS.map(
  (level) => [level, level.replace(/^./, (letter) => letter.toUpperCase())] as const,
);

export function ConsoleTab({ session, isActive, log, reload }: PanelProps & { log: EventLog }) {
  const [query, setQuery] = useQuery();
  const start = Date.parse(session.created_at);
  const entries = useMemo(() => toConsole(log.events), [log.events]);
  const counts = useMemo(() => countBy(entries, ({ level }) => level), [entries]);
  const shown = useMemo(
    () => filterConsole(entries, { levels: listOf(query.level), text: query.q ?? "" }),
    [entries, query.level, query.q],
  );
  return (
    <div class="panel">
      <search class="filters">
        <SearchField
          label="Search the console"
          value={query.q ?? ""}
          onChange={(q) => setQuery({ q: q || undefined })}
        />
        <Chips label="Levels" name="level" options={LEVEL_NAMES} counts={counts} />
      </search>
      {isActive && <Recorded session={session} reload={reload} wanted={["console"]} />}
      <LogState
        log={log}
        isEmpty={shown.length === 0}
        isFiltered={entries.length > 0}
        what="console messages"
      >
        <LogList
          label="Console"
          items={shown}
          idOf={(entry) => entry.id}
          isBad={(entry) => entry.level === "error"}
          summary={(entry) => (
            <>
              <span class="event-time" title={formatExact(entry.at)}>
                {formatOffset(entry.at - start)}
              </span>
              <span class={`event-kind is-${entry.level}`}>
                {entry.isUncaught ? "uncaught" : entry.level}
              </span>
              <span class="event-text">{toRow(entry.text)}</span>
              <span class="event-source">{entry.source.replace(/^.*\/(?=[^/:])/, "")}</span>
            </>
          )}
          details={(entry) => <EntryDetails entry={entry} />}
        />
      </LogState>
    </div>
  );
}

function EntryDetails({ entry: { at, text, source, stack, isCut } }: { entry: ConsoleEntry }) {
  return (
    <>
      <p class="dim">
        {formatExact(at)}
        {isCut && " · cut because it was long"}
      </p>
      <pre>{toShown(text)}</pre>
      {source !== "" && stack === "" && <p class="dim">{source}</p>}
      {stack !== "" && <pre>{stack}</pre>}
    </>
  );
}
