import type { ComponentChildren } from "preact";
import type { Page as PageOf } from "../api/client.ts";
import { type Filter, List, type PageQuery } from "./list.tsx";
import { DocLink, Page } from "./page.tsx";
import { Empty } from "./states.tsx";
import type { Column } from "./table.tsx";

interface ResourceListProps<T> {
  title: string;
  /** One of them, such as `pool`. */
  noun: string;
  /** The path of the list in the console, which is followed by an id in links. */
  href: string;
  /** The page of the docs. Default: the end of `href`. */
  docs?: string;
  /** What they are for, in a sentence. */
  about: string;
  /** What to do first. */
  advice: string;
  /** A button that creates one. */
  action: ComponentChildren;
  search?: string;
  filters?: readonly Filter[];
  load: (page: PageQuery, signal: AbortSignal, chosen: Record<string, string>) => Promise<PageOf<T>>;
  /** After the name. */
  columns: readonly Column<T>[];
  refreshMs?: number;
}

/** The page of a list whose rows have a name and a page of their own. */
export function ResourceList<T extends { id: string; name?: string | null }>(props: ResourceListProps<T>) {
  const { title, noun, href, about, advice, action, search, filters, load, columns, refreshMs } = props;
  const { docs = href.slice(href.lastIndexOf("/") + 1) } = props;
  const nameColumn: Column<T> = {
    title: "Name",
    cell: ({ id, name }) => (
      <a class="row-name" href={`${href}/${id}`}>
        {name ?? id}
      </a>
    ),
  };
  return (
    <Page title={title} actions={action}>
      <p class="hint">
        {about} <DocLink page={docs}>About {title.toLowerCase()}</DocLink>
      </p>
      <List
        caption={title}
        name={href}
        search={search ?? "Search by name or id"}
        columns={[nameColumn, ...columns]}
        idOf={({ id }) => id}
        empty={(isFiltered) =>
          isFiltered ? (
            <Empty title={`No ${noun} matches`} />
          ) : (
            <Empty title={`No ${title.toLowerCase()} yet`} action={action}>
              {advice}
            </Empty>
          )
        }
        {...{ filters, load, refreshMs }}
      />
    </Page>
  );
}
