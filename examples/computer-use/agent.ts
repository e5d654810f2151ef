import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import type { Action, DoneAction } from "./actions.ts";
import type { Model } from "./model.ts";

/** What a notch of the mouse wheel scrolls, in pixels. */
const PIXELS_PER_NOTCH = 120;

export interface AgentOptions {
  kernel: Kernel;
  /** The session that is used; whoever created it ends it. */
  sessionId: string;
  model: Model;
  task: string;
  /** A model that is lost costs money with each step: after so many actions it is stopped. */
  maxSteps: number;
  /** Stops the agent, between two steps or within one. */
  signal: AbortSignal;
  /** Called before each action is carried out. */
  onStep?: (step: number, action: Action) => void;
}

/** The model did not come to an end in the steps that it had. */
export class StepLimitError extends Error {
  override readonly name = "StepLimitError";
}

/**
 * The loop of every computer-use agent: show the model the screen, do what it says, until it says that it is done.
 *
 * @returns the model's last action, which says whether it succeeded.
 * @throws StepLimitError; the signal's reason; and what the model or the service throws.
 */
export async function runAgent(options: AgentOptions): Promise<DoneAction> {
  const { kernel, sessionId, model, task, maxSteps, signal, onStep } = options;
  const { computer } = kernel.browsers;
  const history: Action[] = [];
  for (let step = 1; step <= maxSteps; step += 1) {
    const picture = await computer.captureScreenshot(sessionId, {}, { signal });
    const screenshot = new Uint8Array(await picture.arrayBuffer());
    const action = await model.nextAction({ task, screenshot, history }, { signal });
    signal.throwIfAborted();
    onStep?.(step, action);
    if (action.type === "done") return action;
    await perform(options, action);
    history.push(action);
  }
  throw new StepLimitError(`The model was not done after ${maxSteps} steps`);
}

/** Carries out one action. */
async function perform(
  { kernel, sessionId, signal }: AgentOptions,
  action: Exclude<Action, DoneAction>,
): Promise<void> {
  const { computer } = kernel.browsers;
  // A repeated click is another click: what failed on its way is not sent again.
  const once = { signal, maxRetries: 0 };
  switch (action.type) {
    case "screenshot":
      // The next step begins with one.
      return;
    case "click": {
      const { x, y, button } = action;
      return computer.clickMouse(sessionId, { x, y, button }, once);
    }
    case "double_click":
      return computer.clickMouse(sessionId, { x: action.x, y: action.y, num_clicks: 2 }, once);
    case "move":
      return computer.moveMouse(sessionId, { x: action.x, y: action.y }, once);
    case "drag":
      return computer.dragMouse(sessionId, { path: action.path.map(({ x, y }) => [x, y]) }, once);
    case "scroll": {
      const delta_x = toNotches(action.scroll_x);
      const delta_y = toNotches(action.scroll_y);
      if (delta_x === 0 && delta_y === 0) return;
      return computer.scroll(sessionId, { x: action.x, y: action.y, delta_x, delta_y }, once);
    }
    case "type":
      return computer.typeText(sessionId, { text: action.text }, once);
    case "keypress":
      return computer.pressKey(sessionId, { keys: [action.keys.join("+")] }, once);
    case "wait":
      return setTimeout(action.milliseconds, undefined, { signal });
  }
}

/** A wheel turns by whole notches: as many as come close, and one at least where any scrolling was asked for. */
function toNotches(pixels: number): number {
  return Math.sign(pixels) * Math.max(pixels === 0 ? 0 : 1, Math.round(Math.abs(pixels) / PIXELS_PER_NOTCH));
}
