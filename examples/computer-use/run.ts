import { setTimeout } from "node:timers/promises";
import Kernel from "@onkernel/sdk";
import { type Action, describeAction } from "./actions.ts";
import { runAgent } from "./agent.ts";
import { openFormSite } from "./form-site.ts";
import { ScriptedModel } from "./scripted-model.ts";

const TASK =
  "Book a berth for the ship Berth of Venus under captain Ada, 75 metres long. Read the rules first.";
const MAX_STEPS = 30;
const FORM_TIMEOUT_MS = 5000;
const SCREEN = { width: 1024, height: 768 };

/** Fills in the form of form-site.ts. */
const SCRIPT: readonly Action[] = [
  { type: "screenshot" },
  { type: "click", x: 280, y: 120, button: "left" },
  { type: "type", text: "Berth of Venus ⚓" },
  { type: "double_click", x: 120, y: 180 },
  { type: "type", text: "Ada" },
  {
    type: "drag",
    path: [
      { x: 88, y: 240 },
      { x: 376, y: 240 },
    ],
  },
  { type: "move", x: 280, y: 340 },
  { type: "scroll", x: 280, y: 340, scroll_x: 0, scroll_y: 2400 },
  { type: "wait", milliseconds: 500 },
  { type: "click", x: 92, y: 440, button: "left" },
  { type: "keypress", keys: ["TAB"] },
  { type: "keypress", keys: ["ENTER"] },
  { type: "done", success: true, message: "The form is sent." },
];

/** @returns the exit code. */
async function main(signal: AbortSignal): Promise<number> {
  // Reads KERNEL_BASE_URL and KERNEL_API_KEY from the environment.
  const kernel = new Kernel();
  const site = await openFormSite();
  try {
    const session = await kernel.browsers.create({
      start_url: site.url,
      viewport: SCREEN,
      timeout_seconds: 120,
    });
    try {
      console.log(`Session ${session.session_id}`);
      console.log(`Live view: ${session.browser_live_view_url}\n`);
      const { success, message } = await runAgent({
        kernel,
        sessionId: session.session_id,
        model: new ScriptedModel(SCRIPT, SCREEN),
        task: TASK,
        maxSteps: MAX_STEPS,
        signal,
        onStep: (step, action) => console.log(`${String(step).padStart(2)}  ${describeAction(action)}`),
      });
      console.log(`\nModel: ${message}`);
      // Do not rely on the model's claim.
      const form = await Promise.race([
        site.received,
        setTimeout(FORM_TIMEOUT_MS, undefined, { ref: false }),
      ]);
      console.log(form === undefined ? "No form was received." : `Received form: ${JSON.stringify(form)}`);
      return success && form !== undefined ? 0 : 1;
    } finally {
      await kernel.browsers.deleteByID(session.session_id);
      console.log("The session has ended.");
    }
  } finally {
    await site.close();
  }
}

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(name, () => stop.abort());
}
try {
  process.exitCode = await main(stop.signal);
} catch (error) {
  console.error(stop.signal.aborted ? "Stopped." : error);
  process.exitCode = 1;
}
