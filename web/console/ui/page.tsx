import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageProps {
  title: string;
  /** Beside the title, such as the state of what the page shows. */
  status?: ComponentChildren;
  actions?: ComponentChildren;
  /** The list that the page belongs to. */
  parent?: { href: string; label: string };
  children: ComponentChildren;
}

/** A view with its heading, which names the browser's tab and gets the focus after a navigation. */
export function Page({ title, status, actions, parent, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Berth`;
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="page">
      <header class="page-head">
        {parent && (
          <nav aria-label="Breadcrumb">
            <a class="parent" href={parent.href}>
              {parent.label}
            </a>
          </nav>
        )}
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {status}
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

type SectionProps = Pick<PageProps, "title" | "actions" | "children">;

/** A part of a page with its own heading. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <section class="section">
      <header class="section-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** A link to a page of the docs, such as `webhooks`, which opens beside the console. */
export function DocLink({ page, children }: { page: string; children: ComponentChildren }) {
  return (
    <a href={`/docs/${page}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
