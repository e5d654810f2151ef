import { env } from "cloudflare:workers";
import { z } from "zod";
import { toWorkerCode } from "../../../src/platform/dynamic-workers/loader.ts";
import { readModules } from "../../../src/platform/dynamic-workers/modules.ts";

const evaluationSchema = z.object({
  value: z.unknown().optional(),
  error: z.string().optional(),
  /** Messages of the errors that the loop guard reported. */
  overruns: z.array(z.string()),
  /** How much `globalThis.steps` grew after the end of the run. */
  stepsAfterEnd: z.number(),
  lines: z.array(z.tuple([z.enum(["stdout", "stderr"]), z.string()])),
});

export type Evaluation = z.infer<typeof evaluationSchema>;

/** Calls the module's default export, and reports after another turn of the event loop. */
const MAIN = `
import { claimFollowConsole } from "berth-console";
import { claimWatchRun } from "berth-loop-guard";
const followConsole = claimFollowConsole();
const watchRun = claimWatchRun();
const later = setTimeout;
const { default: run } = await import("tested.js");
export default {
  async fetch() {
    const overruns = [], lines = [];
    followConsole((...line) => lines.push(line));
    const end = watchRun((error) => overruns.push(error.message));
    const ended = await (async () => run())().then((value) => ({ value }), (error) => ({ error: String(error) }));
    await new Promise((resolve) => later(resolve));
    end();
    const steps = globalThis.steps ?? 0;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => later(resolve, 1));
    return Response.json({ ...ended, overruns, stepsAfterEnd: (globalThis.steps ?? 0) - steps, lines });
  },
};
`;

/** Runs a module in its own Dynamic Worker, with console and loop guard. @throws when it fails to load. */
export async function evaluate(module: string): Promise<Evaluation> {
  const modules = await readModules(env, ["berth-console", "berth-loop-guard"]);
  const worker = env.LOADER.load(
    toWorkerCode({
      mainModule: "main.js",
      modules: { ...modules, "main.js": { js: MAIN }, "tested.js": { js: module } },
      outbound: null,
      cpuMs: 30_000,
    }),
  );
  const response = await worker.getEntrypoint().fetch("https://tested.invalid/");
  return evaluationSchema.parse(await response.json());
}
