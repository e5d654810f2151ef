import { type ComponentChildren, Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { FilterSelect } from "../ui/list.tsx";
import { Loading } from "../ui/states.tsx";
import { useHandoffs } from "./handoffs.tsx";
import { useIdentity } from "./identity.ts";
import { isCurrent, navigationFor } from "./navigation.ts";
import { Shortcuts } from "./palette.tsx";
import { useProjects } from "./projects.tsx";
import { SignInsButton } from "./sign-ins.tsx";

/** The frame of every view: the navigation, who is signed in, and the view itself. */
export function Shell({
  signOut,
  children,
}: {
  signOut: (options?: { everywhere: boolean }) => void;
  children: ComponentChildren;
}) {
  const identity = useIdentity();
  const { path } = useLocation();
  const { active, current, chosen, isReady, choose } = useProjects();
  const waiting = useHandoffs().length;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setOpen(false);
    window.scrollTo(0, 0);
  }, [path]);
  return (
    <div class={isOpen ? "shell is-open" : "shell"}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="topbar">
        <button
          type="button"
          class={waiting > 0 ? "icon-button menu-button has-news" : "icon-button menu-button"}
          aria-label={waiting > 0 ? `Menu, ${waiting} waiting for you` : "Menu"}
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "close" : "menu"} />
        </button>
        <a class="brand" href="/console">
          Berth
        </a>
        <span class="who">
          {identity.kind === "operator" ? "Operator" : identity.organization.name}
          {identity.kind === "organization" && (
            <>
              {(active.length > 1 || current?.id !== identity.organization.id) &&
                current &&
                ` · ${current.name}`}
              <span class="dim"> · key “{identity.api_key.name}”</span>
            </>
          )}
        </span>
        <Shortcuts />
        <a class="docs-link" href="/docs/" target="_blank" rel="noreferrer">
          Docs
        </a>
        <SignInsButton signOut={signOut} />
        <Button kind="quiet" onClick={() => signOut()}>
          Sign out
        </Button>
      </header>
      <nav id="navigation" class="navigation" aria-label="Console">
        {active.length > 1 && (
          <FilterSelect
            label="Project"
            value={current?.id ?? ""}
            options={active.map(({ id, name }) => [id, name])}
            onChange={choose}
          />
        )}
        {navigationFor(identity).map(({ label, entries }) => (
          <div key={label} class="nav-group">
            <p class="nav-label">{label}</p>
            <ul>
              {entries.map(([href, label, icon]) => (
                <li key={href}>
                  <a href={href} aria-current={isCurrent(href, path) ? "page" : undefined}>
                    <Icon name={icon} />
                    {label}
                    {href === "/console" && waiting > 0 && (
                      <Badge tone="warn">
                        {waiting}
                        <span class="unseen"> waiting for you</span>
                      </Badge>
                    )}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <main id="content" class="content" tabIndex={-1}>
        {isReady ? <Fragment key={chosen}>{children}</Fragment> : <Loading lines={12} />}
      </main>
    </div>
  );
}
