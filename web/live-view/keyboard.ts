import type { ViewerMessage } from "../../src/features/live-view/protocol.ts";
import { completesLeaveChord, isComposed, isPasteShortcut, type KeyMessage, remoteKey } from "./keys.ts";

export interface KeyboardOptions {
  surface: HTMLElement;
  isMac: boolean;
  canControl: () => boolean;
  send: (message: ViewerMessage) => void;
  onLeave: () => void;
}

export class Keyboard {
  readonly #options: KeyboardOptions;
  readonly #held = new Map<string, KeyMessage>();
  #isLeaving = false;

  constructor(options: KeyboardOptions) {
    this.#options = options;
    const { surface } = options;
    surface.addEventListener("keydown", (event) => this.#pressed(event));
    surface.addEventListener("keyup", (event) => this.#released(event));
    surface.addEventListener("focusout", ({ relatedTarget }) => {
      const staysInside = relatedTarget instanceof Node && surface.contains(relatedTarget);
      if (!staysInside) this.releaseAll();
    });
  }

  releaseAll(): void {
    for (const held of this.#held.values()) {
      this.#options.send({ ...held, action: "up", repeat: false, modifiers: 0 });
    }
    this.#held.clear();
  }

  #pressed(event: KeyboardEvent): void {
    const { canControl, isMac, send } = this.#options;
    if (!canControl()) return;
    this.#isLeaving = completesLeaveChord(event);
    if (isComposed(event) || isPasteShortcut(event, isMac)) return;
    event.preventDefault();
    const message = remoteKey(event, "down", isMac);
    this.#held.set(keyId(event), message);
    send(message);
  }

  #released(event: KeyboardEvent): void {
    const { isMac, send, onLeave } = this.#options;
    if (this.#isLeaving) {
      this.#isLeaving = false;
      this.releaseAll();
      onLeave();
      return;
    }
    if (this.#held.delete(keyId(event))) {
      event.preventDefault();
      send(remoteKey(event, "up", isMac));
    }
    // macOS reports no other key's release while Command is held.
    if (isMac && event.key === "Meta") this.releaseAll();
  }
}

function keyId({ code, key }: KeyboardEvent): string {
  return code === "" ? key : code;
}
