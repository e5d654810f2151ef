import { useState } from "preact/hooks";
import { useQuery } from "../../app/query.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { FilterSelect, SearchField } from "../../ui/list.tsx";
import { parseTagFilter, readFilters, readStatus, STATUSES } from "./filters.ts";

/** The search and the filters, all of them in the address. */
export function FilterBar({ names }: { names: (id: string) => string }) {
  const [query, setQuery] = useQuery();
  return (
    <search class="session-filters">
      <div class="filters">
        <SearchField
          label="Search by name or id"
          value={query.q ?? ""}
          onChange={(q) => setQuery({ q: q || undefined, offset: undefined })}
        />
        <TagField />
        <FilterSelect
          label="Status"
          value={readStatus(query)}
          options={STATUSES}
          onChange={(status) =>
            setQuery({ status: status === "active" ? undefined : status, offset: undefined })
          }
        />
      </div>
      <ul class="tags" aria-label="Filters">
        {readFilters(query).map(({ parameter, label, value }) => (
          <li key={parameter}>
            <button
              type="button"
              class="chip"
              title="Remove this filter"
              onClick={() => setQuery({ [parameter]: undefined, offset: undefined })}
            >
              <span class="unseen">Remove the filter </span>
              {label}: {names(value)}
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </search>
  );
}

function TagField() {
  const [, setQuery] = useQuery();
  const [text, setText] = useState("");
  const filter = parseTagFilter(text);
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ ...filter, offset: undefined });
        setText("");
      }}
    >
      <input
        aria-label="Tag, as key=value"
        placeholder="Tag, as key=value"
        autoComplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" disabled={filter === undefined}>
        Filter
      </Button>
    </form>
  );
}
