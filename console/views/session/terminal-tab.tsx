import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { OnlyActive } from "./ended.tsx";
import type { PanelProps } from "./panel.ts";
import { Shell, type ShellState } from "./shell.ts";

const MAX_HISTORY = 200;

export function TerminalTab({ session, isActive }: PanelProps) {
  return isActive ? <Terminal id={session.session_id} /> : <OnlyActive what="Its processes have ended." />;
}

function Terminal({ id }: { id: string }) {
  const [{ chunks, isReady }, setState] = useState<ShellState>({ chunks: [], isReady: false });
  const shell = useRef<Shell | undefined>(undefined);
  const screen = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const started = new Shell(id, setState);
    shell.current = started;
    const close = () => started.close();
    addEventListener("pagehide", close);
    return () => {
      removeEventListener("pagehide", close);
      close();
    };
  }, [id]);
  useLayoutEffect(() => {
    screen.current?.scrollTo(0, screen.current.scrollHeight);
  }, [chunks]);
  return (
    <div class="panel">
      <p class="hint">
        A bash on the session's machine, without a terminal: programs that draw a screen do not work. It ends
        when you leave this tab.
      </p>
      <div class="terminal">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
        <div ref={screen} class="terminal-screen" role="log" aria-label="Output" tabIndex={0}>
          {chunks.map(({ id, look, text }) => (
            <span key={id} class={look}>
              {text}
            </span>
          ))}
        </div>
        <CommandLine isReady={isReady} shell={shell} />
      </div>
      <div class="filters">
        <Button onClick={() => shell.current?.interrupt()}>Interrupt (Ctrl-C)</Button>
        <Button onClick={() => shell.current?.clear()}>Clear</Button>
      </div>
    </div>
  );
}

interface CommandLineProps {
  isReady: boolean;
  shell: { current: Shell | undefined };
}

/** The line that is being typed. The up and down keys show earlier ones. */
function CommandLine({ isReady, shell }: CommandLineProps) {
  const [line, setLine] = useState("");
  const history = useRef<string[]>([]);
  const position = useRef(0);
  const run = () => {
    shell.current?.write(line);
    if (line !== "")
      history.current = [...history.current.filter((one) => one !== line), line].slice(-MAX_HISTORY);
    position.current = history.current.length;
    setLine("");
  };
  const recall = (step: number) => {
    position.current = Math.min(history.current.length, Math.max(0, position.current + step));
    setLine(history.current[position.current] ?? "");
  };
  const handleKey = (event: KeyboardEvent & { currentTarget: HTMLInputElement }) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const isInterrupt = event.ctrlKey && event.key === "c" && selectionStart === selectionEnd;
    if (event.key === "ArrowUp") recall(-1);
    else if (event.key === "ArrowDown") recall(1);
    else if (isInterrupt) shell.current?.interrupt();
    else if (event.ctrlKey && event.key === "l") shell.current?.clear();
    else return;
    event.preventDefault();
  };
  return (
    <form
      class="terminal-line"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <span aria-hidden="true">$</span>
      <input
        type="text"
        aria-label="Command"
        value={line}
        placeholder={isReady ? "" : "Starting…"}
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        onInput={(event) => setLine(event.currentTarget.value)}
        onKeyDown={handleKey}
      />
    </form>
  );
}
