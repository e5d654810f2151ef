import { pause, resolveWithin } from "../../../lib/common/concurrency.ts";
import { requireLoader, toWorkerCode } from "../../../platform/dynamic-workers/index.ts";
import { type Checks, differs, type Finding, holds } from "../check.ts";
import type { ProbeContext } from "../context.ts";

const CALL_TIMEOUT_MS = 10_000;

const FACET = "probe";
const ENDED = new Error("ended by the probe");

const URL = "https://probe.invalid/";

/** Far more than CPU_LIMIT_MS, and short enough to block the local runtime, which has no limit. */
const STEPS = 200_000_000;
const CPU_LIMIT_MS = 10;
const USUAL_CPU_MS = 5000;

/** A module that exports `answer`, a function that returns 42. */
const WASM = "AGFzbQEAAAABBQFgAAF/AwIBAAcKAQZhbnN3ZXIAAAoGAQQAQSoL";

const CODE = `
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import module from "answer.wasm";
let isCancelled = false;
const endless = () => new ReadableStream({
  async pull(controller) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.enqueue(new Uint8Array(1));
  },
  cancel() { isCancelled = true; },
});
export class Probe extends WorkerEntrypoint {
  async fetch(request) {
    const name = new URL(request.url).pathname;
    if (name === "/stream") return new Response(endless());
    if (name === "/cancelled") return Response.json(isCancelled);
    if (name === "/loop") {
      let sum = 0;
      for (let step = 0; step < ${STEPS}; step += 1) sum = (sum + step) | 0;
      return Response.json(sum);
    }
    const { exports } = await WebAssembly.instantiate(module);
    return Response.json([exports.answer(), this.ctx.props.word]);
  }
}
export class Facet extends DurableObject {
  calls = 0;
  fetch(request) {
    this.calls += 1;
    return request.url.endsWith("/stream") ? new Response(endless()) : Response.json(this.calls);
  }
}
`;

function load(context: ProbeContext, cpuMs = USUAL_CPU_MS): WorkerStub {
  context.cost.dynamic_workers += 1;
  const modules = { "probe.js": { js: CODE }, "answer.wasm": { wasm: Uint8Array.fromBase64(WASM).buffer } };
  const source = { mainModule: "probe.js", modules, outbound: null, cpuMs };
  return requireLoader(context.env).load(toWorkerCode(source));
}

export const dynamicWorkerChecks = {
  async dynamic_workers(context) {
    const call = load(context)
      .getEntrypoint("Probe", { props: { word: "probe" } })
      .fetch(URL);
    return judgeWorker(await call.then((response) => response.text()).catch(String));
  },

  async dynamic_limits(context) {
    const call = load(context, CPU_LIMIT_MS).getEntrypoint("Probe").fetch(`${URL}loop`);
    return call.then(
      () => differs(`${STEPS} steps ran with a limit of ${CPU_LIMIT_MS} ms`),
      (error: unknown) => holds(String(error)),
    );
  },

  /** App runs are facets of an object, which must end together with everything they do. */
  async dynamic_end(context) {
    const worker = load(context);
    const call = (path: string) =>
      context.facets.get(FACET, () => ({ class: worker.getDurableObjectClass("Facet") })).fetch(URL + path);
    try {
      const isClosed = await endStream(await call("stream"), () => context.facets.abort(FACET, ENDED));
      return judgeEnd(isClosed, await (await call("count")).json());
    } finally {
      context.facets.abort(FACET, ENDED);
      context.facets.delete(FACET);
    }
  },

  async dynamic_abort(context) {
    const worker = load(context).getEntrypoint("Probe");
    const end = new AbortController();
    const isClosed = await endStream(await worker.fetch(`${URL}stream`, end), () => end.abort());
    let isCancelled: unknown = false;
    for (let attempt = 0; attempt < 20 && isCancelled !== true; attempt += 1) {
      await pause(100);
      isCancelled = await (await worker.fetch(`${URL}cancelled`)).json();
    }
    return judgeAbort(isClosed, isCancelled === true);
  },
} satisfies Checks;

export function judgeWorker(answer: string): Finding {
  return answer === `[42,"probe"]` ? holds("both") : differs(`it answered ${answer}`);
}

/** @param calls what a new run counts: 1 if nothing is left from the old one. */
export function judgeEnd(isClosed: boolean, calls: unknown): Finding {
  if (!isClosed) return differs("its response stayed open");
  return calls === 1 ? holds("its response ended") : differs(`the next run is call ${calls} of the same`);
}

export function judgeAbort(isClosed: boolean, isCancelled: boolean): Finding {
  if (!isClosed) return differs("its response stayed open");
  return isCancelled ? holds("its stream was cancelled") : differs("its stream was not cancelled");
}

/** @returns whether the endless response ends or fails. */
async function endStream({ body }: Response, end: () => void): Promise<boolean> {
  const reader = body?.getReader();
  await reader?.read();
  end();
  const read = async () => {
    while (reader !== undefined && !(await reader.read()).done);
  };
  const closed = read().then(
    () => true,
    () => true,
  );
  return (await resolveWithin(closed, CALL_TIMEOUT_MS)) ?? false;
}
