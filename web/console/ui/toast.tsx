import { useEffect, useState } from "preact/hooks";

type Tone = "good" | "bad";

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const SHOWN_MS = 6000;

let nextId = 1;
let show: (toast: Toast) => void = () => {};

/** Shows a short message for some seconds. Screen readers read it. */
export function showToast(text: string, tone: Tone = "good"): void {
  show({ id: nextId++, text, tone });
}

export function Toasts() {
  const [toasts, setToasts] = useState<Toast[]>([]);
  useEffect(() => {
    show = (toast) => {
      setToasts((before) => [...before.slice(-3), toast]);
      setTimeout(() => setToasts((before) => before.filter(({ id }) => id !== toast.id)), SHOWN_MS);
    };
    return () => {
      show = () => {};
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, tone }) => (
        <p key={id} class={`toast is-${tone}`}>
          {text}
        </p>
      ))}
    </div>
  );
}
