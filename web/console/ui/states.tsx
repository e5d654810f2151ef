import type { ComponentChildren } from "preact";
import { APIError } from "../api/client.ts";
import type { Resource } from "../api/hooks.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** Grey lines in place of data that is being loaded. */
export function Loading({ lines = 4 }: { lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading…</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="skeleton" aria-hidden="true" />
      ))}
    </div>
  );
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const isMissing = error instanceof APIError && error.status === 404;
  if (error instanceof APIError && error.status === 501) {
    return <NotAvailable title="Not available here">{error.message}</NotAvailable>;
  }
  return (
    <div class="state is-bad" role="alert">
      <Icon name="warning" />
      <p class="state-title">{isMissing ? "Not found" : "Could not load this"}</p>
      <p>{error.message}</p>
      {retry !== undefined && !isMissing && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  /** What to do first, such as a link that creates something. */
  action?: ComponentChildren;
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="state">
      <p class="state-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

/** Says plainly what this version of the service does not support. */
export function NotAvailable({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="state is-note">
      <p class="state-title">{title}</p>
      <p>{children}</p>
    </div>
  );
}

interface LoadedProps<T> {
  resource: Resource<T>;
  children: (data: T) => ComponentChildren;
  lines?: number;
}

/** A loaded value, or what stands in its place. A failed reload keeps the last value below its error. */
export function Loaded<T>({ resource, children, lines }: LoadedProps<T>) {
  const { data, error, reload } = resource;
  if (data === undefined) {
    return error === undefined ? <Loading lines={lines} /> : <Failure error={error} retry={reload} />;
  }
  return (
    <>
      {error !== undefined && (
        <p class="problem" role="alert">
          {error.message} <Button onClick={reload}>Try again</Button>
        </p>
      )}
      {children(data)}
    </>
  );
}
