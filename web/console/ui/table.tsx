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
  const ids = rows.map(idOf).filter((id) => selection?.canSelect?.(id) !== false);
  return (
    <div class="table-frame">
      <table class="table">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" class="is-select">
                <SelectBox selection={selection} ids={ids} label="Select all on this page" />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = idOf(row);
            return (
              <tr key={id} aria-selected={selection?.ids.has(id)} onClick={openRow}>
                {selection && (
                  <td class="is-select">
                    <SelectBox
                      selection={selection}
                      ids={ids.includes(id) ? [id] : []}
                      label={selection.labelOf(id)}
                    />
                  </td>
                )}
                {columns.map((column, index) => {
                  const props = { class: classOf(column), "data-label": column.title };
                  const content = column.cell(row);
                  return index === 0 ? (
                    <th key={column.title} {...props} scope="row">
                      {content}
                    </th>
                  ) : (
                    <td key={column.title} {...props}>
                      {content}
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

/** A click beside the controls of a row follows the link that names it. */
function openRow({ target, currentTarget }: { target: EventTarget | null; currentTarget: HTMLElement }) {
  const isOnControl =
    target instanceof Element && target.closest("a, button, input, label, dialog, .is-select") !== null;
  if (isOnControl || !getSelection()?.isCollapsed) return;
  currentTarget.querySelector<HTMLAnchorElement>("th a[href^='/console']")?.click();
}

/** Selects or deselects rows. Without ids, it is disabled. */
function SelectBox({ selection, ids, label }: { selection: Selection; ids: string[]; label: string }) {
  const isSelected = ids.length > 0 && ids.every((id) => selection.ids.has(id));
  const toggle = () => {
    const others = [...selection.ids].filter((id) => !ids.includes(id));
    selection.onChange(new Set(isSelected ? others : [...others, ...ids]));
  };
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isSelected}
      disabled={ids.length === 0}
      onChange={toggle}
    />
  );
}

function classOf({ isNumber, isMinor }: { isNumber?: boolean; isMinor?: boolean }): string {
  return [isNumber && "is-number", isMinor && "is-minor"].filter(Boolean).join(" ");
}
