import { Icon } from "../../ui/icon.tsx";
import type { App } from "./app-choices.ts";

type Actions = Pick<App, "app_name" | "version" | "actions">;

/** The actions of an app. Each leads to the form that invokes it. */
export function ActionLinks({ app_name: app, version, actions }: Actions) {
  if (actions.length === 0) return <span class="dim">No actions</span>;
  return (
    <ul class="actions">
      {actions.map(({ name: action }) => (
        <li key={action}>
          <a
            class="button"
            href={`/console/invocations/new?${new URLSearchParams({ app, version, action })}`}
          >
            <Icon name="invocations" />
            <span class="unseen">Invoke </span>
            {action}
          </a>
        </li>
      ))}
    </ul>
  );
}
