import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Page } from "../api/client.ts";
import { useLoad } from "../api/hooks.ts";
import { type Query, useQuery } from "../app/query.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { Loaded } from "./states.tsx";
import { type Column, type Selection, Table } from "./table.tsx";

export const PAGE_SIZE = 50;

const SEARCH_DELAY_MS = 250;

export interface PageQuery {
  limit: number;
  offset: number;
  /** What the user searches for. */
  query: string | undefined;
}

/** A choice among values of a parameter of the address. */
export interface Filter {
  param: string;
  label: string;
  /** Values with their texts. The first is the default. */
  options: readonly (readonly [string, string])[];
}

interface ListProps<T> {
  caption: string;
  /** Path of the list in the API, for the key of what is loaded. */
  name: string;
  /** @param chosen has the value of each filter, by its parameter. */
  load: (page: PageQuery, signal: AbortSignal, chosen: Record<string, string>) => Promise<Page<T>>;
  columns: readonly Column<T>[];
  idOf: (row: T) => string;
  /** In place of an empty table. `isFiltered`: the search found nothing. */
  empty: (isFiltered: boolean) => ComponentChildren;
  /** Label of the search field; absent: the list has no search. */
  search?: string;
  filters?: readonly Filter[];
  selection?: Selection;
  refreshMs?: number;
  /** True, the default: pages count from the first row. Otherwise each says where the next one begins. */
  isNumbered?: boolean;
  /** A different number reloads the page. The rows stay in the meantime. */
  version?: number;
}

/** A searchable list in pages. The search and the page are in the address. */
export function List<T>(props: ListProps<T>) {
  const {
    caption,
    name,
    load,
    columns,
    idOf,
    empty,
    search,
    filters = [],
    selection,
    refreshMs,
    isNumbered,
    version,
  } = props;
  const [query] = useQuery();
  const page: PageQuery = { limit: PAGE_SIZE, offset: Number(query.offset ?? 0), query: query.q };
  const chosen = chosenValues(filters, query);
  const key = JSON.stringify([name, page, chosen]);
  const resource = useLoad(key, (signal) => load(page, signal, chosen), { refreshMs });
  useEffect(() => {
    if (version) resource.reload();
  }, [version]);
  const isFiltered = page.query !== undefined || filters.some(({ param }) => query[param] !== undefined);
  return (
    <>
      {(search !== undefined || filters.length > 0) && <FilterBar {...{ search, filters }} />}
      <Loaded resource={resource} lines={6}>
        {({ items, hasMore, next }) => (
          <>
            {items.length === 0 ? (
              empty(isFiltered)
            ) : (
              <Table {...{ caption, columns, idOf, selection }} rows={items} />
            )}
            <Pager {...{ offset: page.offset, count: items.length, hasMore, next, isNumbered }} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface FilterBarProps extends Pick<ListProps<never>, "search" | "filters"> {
  children?: ComponentChildren;
}

/** A search and filters, whose values are in the address. */
export function FilterBar({ search, filters = [], children }: FilterBarProps) {
  const [query, setQuery] = useQuery();
  const chosen = chosenValues(filters, query);
  const change = (param: string, value: string | undefined) =>
    setQuery({ [param]: value, offset: undefined });
  return (
    <search class="filters">
      {search !== undefined && (
        <SearchField label={search} value={query.q ?? ""} onChange={(q) => change("q", q || undefined)} />
      )}
      {filters.map(({ param, label, options }) => (
        <FilterSelect
          key={param}
          {...{ label, options }}
          value={chosen[param] ?? ""}
          onChange={(value) => change(param, value === options[0]?.[0] ? undefined : value)}
        />
      ))}
      {children}
    </search>
  );
}

/** The value of each filter, by its parameter. An unknown value is the default. */
export function chosenValues(filters: readonly Filter[], query: Query): Record<string, string> {
  const choose = ({ param, options }: Filter) =>
    (options.find(([value]) => value === query[param]) ?? options[0])?.[0] ?? "";
  return Object.fromEntries(filters.map((filter) => [filter.param, choose(filter)]));
}

interface PagerProps {
  offset: number;
  count: number;
  hasMore: boolean;
  /** As {@link List} has it. */
  isNumbered?: boolean;
  /** Where the next page begins. */
  next?: number;
}

/** Moves between the pages of a list. */
export function Pager({ offset, count, hasMore, isNumbered = true, next = offset + PAGE_SIZE }: PagerProps) {
  const [, setQuery] = useQuery();
  if (offset === 0 && !hasMore) return null;
  const go = (to: number) => setQuery({ offset: to <= 0 ? undefined : String(to) });
  return (
    <nav class="pager" aria-label="Pages">
      <Button disabled={offset === 0} onClick={() => go(isNumbered ? offset - PAGE_SIZE : 0)}>
        {isNumbered ? "Previous" : "Newest"}
      </Button>
      {isNumbered && <span>{count === 0 ? "No more" : `${offset + 1} – ${offset + count}`}</span>}
      <Button disabled={!hasMore} onClick={() => go(next)}>
        {isNumbered ? "Next" : "Older"}
      </Button>
    </nav>
  );
}

interface SearchFieldProps {
  label: string;
  value: string;
  /** Called shortly after the last key. */
  onChange: (value: string) => void;
}

export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </div>
  );
}

interface FilterSelectProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

/** A filter of a list, small enough to stand beside the search. */
export function FilterSelect<T extends string>({ label, value, options, onChange }: FilterSelectProps<T>) {
  const choose = (chosen: string) => {
    const option = options.find(([value]) => value === chosen);
    if (option !== undefined) onChange(option[0]);
  };
  return (
    <label class="filter">
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
