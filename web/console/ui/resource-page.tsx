import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import type { Resource } from "../api/hooks.ts";
import { ConfirmButton, NameButton } from "./dialog-button.tsx";
import { Page } from "./page.tsx";
import { Loaded } from "./states.tsx";
import { showToast } from "./toast.tsx";

interface ResourcePageProps<T> {
  /** The list that the resource belongs to. */
  parent: { href: string; label: string };
  /** What it is, such as `pool`. */
  noun: string;
  resource: Resource<T>;
  /** Default: its name or id. */
  titleOf?: (data: T) => string;
  status?: (data: T) => ComponentChildren;
  actions?: (data: T) => ComponentChildren;
  rename?: (name: string) => Promise<unknown>;
  remove?: () => Promise<unknown>;
  /** What happens when it is deleted. */
  consequence?: string;
  children: (data: T) => ComponentChildren;
}

/** The page of one thing, which may be renamed and deleted. */
export function ResourcePage<T extends { id: string; name?: string | null }>(props: ResourcePageProps<T>) {
  const { parent, noun, resource, titleOf, status, actions, rename, remove, consequence } = props;
  const { route } = useLocation();
  const { data, reload } = resource;
  const title = data === undefined ? parent.label : (titleOf?.(data) ?? data.name ?? data.id);
  const renameTo = async (name: string) => {
    await rename?.(name);
    showToast(`The ${noun} is now named “${name}”.`);
    reload();
  };
  const removeAndLeave = async () => {
    await remove?.();
    showToast(`The ${noun} “${title}” was deleted.`);
    route(parent.href);
  };
  const buttons = data && (
    <>
      {actions?.(data)}
      {rename && (
        <NameButton
          title={`Rename the ${noun} “${title}”`}
          confirm="Rename"
          value={data.name}
          submit={renameTo}
        >
          Rename
        </NameButton>
      )}
      {remove && (
        <ConfirmButton
          question={`Delete the ${noun} “${title}”?`}
          consequence={consequence}
          confirm="Delete"
          action={removeAndLeave}
        />
      )}
    </>
  );
  return (
    <Page {...{ title, parent }} status={data && status?.(data)} actions={buttons}>
      <Loaded resource={resource}>{props.children}</Loaded>
    </Page>
  );
}
