import { z } from "zod";
import { cut } from "../../../lib/common/cut.ts";
import { addIsolatedScript, BERTH_WORLD } from "../../../platform/browser/index.ts";
import { observeInteractions } from "../../../platform/page-scripts/bundled.js";
import { toCall } from "../../../platform/page-scripts/page-function.ts";
import { redactText } from "../redact.ts";
import type { ObservedTarget, Watcher } from "./observed-target.ts";
import { Throttle } from "./throttle.ts";

const BINDING = "berthInteraction";

const text = z.string().transform((value) => redactText(value, 500));
const coordinate = z.number().transform(Math.round);

/** A page cannot call the binding, but its renderer may be compromised. */
const interactionSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("interaction_click"),
    data: z.object({ selector: text, tag: text, text, x: coordinate, y: coordinate }),
  }),
  z.object({ type: z.literal("interaction_key"), data: z.object({ key: text, selector: text, tag: text }) }),
  z.object({
    type: z.literal("interaction_scroll_settled"),
    data: z.object({
      from_x: coordinate,
      from_y: coordinate,
      to_x: coordinate,
      to_y: coordinate,
      target_selector: text,
    }),
  }),
]);

/** Observes clicks, keys and scrolling with a script in a world of its own. */
export class InteractionWatcher implements Watcher {
  readonly #target: ObservedTarget;
  readonly #onClick: () => void;
  readonly #throttle: Throttle;
  #isOn = false;

  constructor(target: ObservedTarget, onClick: () => void) {
    this.#target = target;
    this.#onClick = onClick;
    this.#throttle = new Throttle((count) => target.observed.recordDropped("interaction", count));
    target.session.on("Runtime.bindingCalled", ({ name, payload }) => {
      if (name === BINDING && this.#isOn) this.#handle(payload);
    });
  }

  get isWanted(): boolean {
    return this.#target.wants("interaction", "interaction_click");
  }

  async start(): Promise<void> {
    if (this.#isOn) return;
    this.#isOn = true;
    const { session } = this.#target;
    await this.#target.trySend(
      session.send("Page.enable"),
      session.send("Runtime.addBinding", { name: BINDING, executionContextName: BERTH_WORLD }),
      addIsolatedScript(session, toCall(observeInteractions, BINDING)),
    );
  }

  /** The script stays in the page; its calls are ignored. */
  async stop(): Promise<void> {
    this.#isOn = false;
  }

  close(): void {
    this.#throttle.close();
  }

  #handle(payload: string): void {
    if (!this.#throttle.admit()) return;
    const { data: interaction } = interactionSchema.safeParse(parse(cut(payload, 10_000)));
    if (interaction === undefined) return;
    const { type, data } = interaction;
    this.#target.record("interaction", type, { event: "Runtime.bindingCalled", data });
    if (type === "interaction_click") this.#onClick();
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
