import type { ComponentChildren } from "preact";

export interface Column<T> {
  /** Heading. It also labels the cell on a phone. */
  title: string;
  cell: (row: T) => ComponentChildren;
  isNumber?: boolean;
  /** Not shown on a phone. */
  isMinor?: boolean;
}

export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: Set<string>) => void;
  /** Names a row, as in `Select the session "first"`. */
  labelOf: (id: string) => string;
  /** Default: all rows. */
  canSelect?: (id: string) => boolean;
}

interface TableProps<T> {
  /** Read by screen readers. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  idOf: (row: T) => string;
  selection?: Selection;
}

/** A table that becomes a list of cards on a phone. The first column names the row. */
export function Table<T>({ caption, columns, rows, idOf, selection }: TableProps<T>) {
  return (
    <div class="table-frame">
      <table class="table">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <SelectAll selection={selection} ids={rows.map(idOf).filter(selection.canSelect ?? Boolean)} />
            )}
            {columns.map(({ title, isNumber, isMinor }) => (
              <th key={title} scope="col" class={cellClass(isNumber, isMinor)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = idOf(row);
            return (
              <tr key={id} aria-selected={selection?.ids.has(id)}>
                {selection && <SelectRow selection={selection} id={id} />}
                {columns.map(({ title, cell, isNumber, isMinor }, index) => {
                  const props = { class: cellClass(isNumber, isMinor), "data-label": title };
                  return index === 0 ? (
                    <th key={title} scope="row" {...props}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={title} {...props}>
                      {cell(row)}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function SelectAll({ selection, ids }: { selection: Selection; ids: string[] }) {
  const isAll = ids.length > 0 && ids.every((id) => selection.ids.has(id));
  return (
    <th scope="col" class="is-select">
      <input
        type="checkbox"
        aria-label="Select all on this page"
        checked={isAll}
        disabled={ids.length === 0}
        onChange={() => selection.onChange(new Set(isAll ? [] : ids))}
      />
    </th>
  );
}

function SelectRow({
  selection: { ids, onChange, labelOf, canSelect },
  id,
}: {
  selection: Selection;
  id: string;
}) {
  const toggle = () => {
    const next = new Set(ids);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <td class="is-select">
      <input
        type="checkbox"
        aria-label={labelOf(id)}
        checked={ids.has(id)}
        disabled={canSelect?.(id) === false}
        onChange={toggle}
      />
    </td>
  );
}

function cellClass(isNumber = false, isMinor = false): string {
  return [isNumber && "is-number", isMinor && "is-minor"].filter(Boolean).join(" ");
}
