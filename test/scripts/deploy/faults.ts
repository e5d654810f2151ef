import { expect } from "vitest";
import { runScript } from "../../conformance/run-script.ts";
import type { CloudflareStandIn, FaultKind } from "./cloudflare/stand-in.ts";
import { openAccount, secretsOf } from "./deployment.ts";

const KINDS: readonly FaultKind[] = ["500", "403", "reset", "lost"];

/** Calls whose failure wrangler itself accepts. */
const OPTIONAL_CALLS: readonly string[] = [
  "GET /workers/scripts/*/settings",
  "PATCH /workers/scripts/*/script-settings",
];

/** One way to fail for each call that changes something, or all ways for all calls. */
type Extent = "changes" | "all";

/** How one call fails. */
interface Fault {
  /** A key of the stand-in's routes. */
  call: string;
  kind: FaultKind;
}

interface FaultyRuns {
  script: string;
  environment?: NodeJS.ProcessEnv;
  extent: Extent;
}

/** Lets the calls of a first deployment, an upgrade and a removal fail in turn. */
export async function failEachCall(extent: Extent): Promise<void> {
  await using standIn = await openAccount();
  await runWithFaults(standIn, { script: "deploy", extent });
  await runWithFaults(standIn, { script: "deploy", environment: secretsOf(standIn), extent });
  await runWithFaults(standIn, { script: "remove", extent });
  const { workers, buckets, databases } = standIn.state;
  expect(workers.size + buckets.size + databases.size).toBe(0);
}

/**
 * Each run continues where the last one stopped, and fails at its first call that has not failed in all ways,
 * until a run succeeds.
 */
async function runWithFaults(standIn: CloudflareStandIn, options: FaultyRuns): Promise<void> {
  const { script, environment = {}, extent } = options;
  const remaining = new Map<string, FaultKind[]>();
  const isTried = (call: string) =>
    !OPTIONAL_CALLS.includes(call) && (extent === "all" || !call.startsWith("GET "));
  const kindsOf = (call: string) => {
    const kinds = remaining.get(call) ?? (extent === "all" ? [...KINDS] : [chooseKind(remaining.size)]);
    remaining.set(call, kinds);
    return kinds;
  };
  let shown = "";
  for (;;) {
    let fault: Fault | undefined;
    standIn.faultOf = (call) => {
      const [kind] = isTried(call) ? kindsOf(call) : [];
      if (kind !== undefined) fault ??= { call, kind };
      return fault?.call === call ? fault.kind : undefined;
    };
    const { code, output } = await runScript(script, ["--yes"], { ...standIn.environment, ...environment });
    shown += output;
    if (fault === undefined) {
      expect(code, output).toBe(0);
      break;
    }
    const { call, kind }: Fault = fault;
    remaining.get(call)?.shift();
    const title = `${call} ${kind}:\n${output}`;
    expect.soft(code, title).toBe(1);
    expect.soft(output, title).toContain("run the same command again");
    expect.soft(output, title).toMatch(kind === "403" ? /needs the permission "/ : /dash\.cloudflare\.com/);
    if (script === "remove") continue;
    for (const value of Object.values(secretsOf(standIn)))
      expect(shown + JSON.stringify(environment)).toContain(value);
  }
  expect(remaining.size).toBeGreaterThan(0);
  expect(new Set(standIn.state.created).size).toBe(standIn.state.created.length);
}

function chooseKind(index: number): FaultKind {
  return KINDS[index % KINDS.length] ?? "500";
}
