import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import type { PanelProps } from "./panel.ts";
import { Shell } from "./shell.ts";

export function TerminalTab({ session: { session_id: id } }: PanelProps) {
  const [output, setOutput] = useState("");
  const [shell] = useState(() => new Shell(id, setOutput));
  const screen = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const leave = ({ persisted }: PageTransitionEvent) => !persisted && shell.close();
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      shell.close();
    };
  }, [shell]);
  useLayoutEffect(() => {
    screen.current?.scrollTo(0, screen.current.scrollHeight);
  }, [output]);
  return (
    <div class="panel">
      <p class="hint">
        A bash shell on the session's machine. It is not a terminal, so full-screen programs do not work. It
        ends when you leave this tab.
      </p>
      <div class="terminal">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
        <pre ref={screen} role="log" aria-label="Output" tabIndex={0}>
          {output}
        </pre>
        <CommandLine shell={shell} />
      </div>
      <div class="filters">
        <Button onClick={() => shell.interrupt()}>Interrupt (Ctrl-C)</Button>
        <Button onClick={() => shell.clear()}>Clear</Button>
      </div>
    </div>
  );
}

/** The line that is being typed. The up and down keys show earlier ones. */
function CommandLine({ shell }: { shell: Shell }) {
  const lines = useRef<string[]>([]);
  const position = useRef(0);
  const handleKey = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    const input = event.currentTarget;
    if (event.key === "Enter") {
      shell.write(input.value);
      lines.current.push(input.value);
      position.current = lines.current.length;
      input.value = "";
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
      const next = position.current + (event.key === "ArrowUp" ? -1 : 1);
      position.current = Math.min(lines.current.length, Math.max(0, next));
      input.value = lines.current[position.current] ?? "";
    } else if (event.ctrlKey && event.key === "c" && input.selectionStart === input.selectionEnd) {
      shell.interrupt();
    } else return;
    event.preventDefault();
  };
  return (
    <input
      type="text"
      aria-label="Command"
      placeholder="$"
      autoComplete="off"
      autoCapitalize="off"
      spellcheck={false}
      onKeyDown={handleKey}
    />
  );
}
