import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useLoad } from "../api/hooks.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Facts } from "../ui/facts.tsx";
import { Icon } from "../ui/icon.tsx";
import { useIdentity } from "./identity.ts";
import { addRecent, findEntries, readRecent, staticEntries } from "./palette-entries.ts";
import { useProjects } from "./projects.tsx";
import { type Command, type Entry, matching, toCommand } from "./shortcuts.ts";

const MODIFIER = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

const KEYS = [
  [`${MODIFIER} K`, "Go to a page, session, pool or app, or start something new"],
  ["/", "Search in this page"],
  ["?", "Show these keys"],
  ["Esc", "Close a dialog"],
] as const;

/** What has the focus there gets the keys itself. */
const TYPING = "input, textarea, select, iframe, .terminal, [contenteditable]";

/** The button that opens the palette, the keys that work everywhere, and what they open. */
export function Shortcuts() {
  const [open, setOpen] = useState<Command>();
  useEffect(() => {
    const run = (event: KeyboardEvent) => {
      const { target, isComposing } = event;
      const isTyping = target instanceof Element && target.closest(TYPING) !== null;
      if (isTyping || isComposing || document.querySelector("dialog[open]") !== null) return;
      const command = toCommand(event);
      const field = document.querySelector<HTMLInputElement>("main input[type=search]");
      if (command === undefined || (command === "search" && field === null)) return;
      event.preventDefault();
      if (command === "search") field?.select();
      else setOpen(command);
    };
    document.addEventListener("keydown", run);
    return () => document.removeEventListener("keydown", run);
  }, []);
  const close = () => setOpen(undefined);
  return (
    <>
      <button type="button" class="button palette-button" onClick={() => setOpen("palette")}>
        <Icon name="search" />
        <span>Go to…</span>
        <kbd>{MODIFIER} K</kbd>
      </button>
      {open === "palette" && <Palette close={close} />}
      {open === "keys" && (
        <Dialog title="Keys" onClose={close}>
          <Facts facts={KEYS.map(([key, text]) => [text, <kbd key={key}>{key}</kbd>])} />
          <p class="hint">They do nothing while you type in a field, the terminal or the live view.</p>
        </Dialog>
      )}
    </>
  );
}

/** A combobox of everything that can be opened. */
function Palette({ close }: { close: () => void }) {
  const identity = useIdentity();
  const { chosen } = useProjects();
  const { route } = useLocation();
  const owner = `${identity.kind === "operator" ? identity.kind : identity.api_key.id} ${chosen}`;
  const [recent] = useState(() => readRecent(owner));
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const { data } = useLoad(`palette ${text}`, (signal) => findEntries(text.trim(), identity, signal));
  const found = useRef<Entry[]>([]);
  // The last results stay until the next ones are there.
  if (data !== undefined) found.current = data;
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const entries = matching([...staticEntries(identity), ...found.current], recent, text.trim());
  const active = Math.min(index, entries.length - 1);
  // The dialog has given it to its first button.
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    addRecent(owner, entry);
    close();
    route(entry.href);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") go(entries[active]);
    else if (step !== undefined) setIndex((active + step + entries.length) % Math.max(1, entries.length));
    else return;
    event.preventDefault();
  };
  const label = "Page, session, pool, app or action";
  return (
    <Dialog title="Go to" onClose={close}>
      <div class="search-field palette">
        <Icon name="search" />
        <input
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
          placeholder={label}
          autoComplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setIndex(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div ref={list} id={`${id}-list`} class="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, position) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the focus and the keys.
          <div
            key={entry.href}
            id={`${id}-${position}`}
            role="option"
            tabIndex={-1}
            aria-selected={position === active}
            onClick={() => go(entry)}
          >
            <span>{entry.label}</span>
            <span class="dim">{recent.some(({ href }) => href === entry.href) ? "Recent" : entry.kind}</span>
          </div>
        ))}
      </div>
      <p class={entries.length > 0 ? "unseen" : "dim"} role="status">
        {entries.length > 0 ? `${entries.length} results` : "Nothing found"}
      </p>
    </Dialog>
  );
}
