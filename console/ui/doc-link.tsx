import type { ComponentChildren } from "preact";

interface DocLinkProps {
  /** Name of the page, such as `webhooks`. */
  page: string;
  children: ComponentChildren;
}

/** A link to a page of the docs, which opens beside the console. */
export function DocLink({ page, children }: DocLinkProps) {
  return (
    <a href={`/docs/${page}`} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
