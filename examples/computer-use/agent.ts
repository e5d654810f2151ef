import { setTimeout } from "node:timers/promises";
import type Kernel from "@onkernel/sdk";
import type { Action, DoneAction } from "./actions.ts";
import type { Model } from "./model.ts";

const PIXELS_PER_NOTCH = 120;

export interface AgentOptions {
  kernel: Kernel;
  /** The caller ends this session. */
  sessionId: string;
  model: Model;
  task: string;
  /** Limits the cost of a model that makes no progress. */
  maxSteps: number;
  /** Stops the agent, even within a step. */
  signal: AbortSignal;
  onStep?: (step: number, action: Action) => void;
}

export class StepLimitError extends Error {
  override readonly name = "StepLimitError";
}

/**
 * Shows the screen to the model and performs its action, until it is done.
 *
 * @returns the model's last action.
 * @throws StepLimitError, the signal's reason, or errors of the model or the service.
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

async function perform(
  { kernel, sessionId, signal }: AgentOptions,
  action: Exclude<Action, DoneAction>,
): Promise<void> {
  const { computer } = kernel.browsers;
  // Retries could repeat an action, such as a click.
  const once = { signal, maxRetries: 0 };
  switch (action.type) {
    case "screenshot":
      // The next step takes it.
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

/** Rounds to whole notches, at least one. */
function toNotches(pixels: number): number {
  return Math.sign(pixels) * Math.max(pixels === 0 ? 0 : 1, Math.round(Math.abs(pixels) / PIXELS_PER_NOTCH));
}
