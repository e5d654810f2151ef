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

interface FaultyRuns {
  script: string;
  environment?: NodeJS.ProcessEnv;
  extent: Extent;
  /** The calls of a successful run in an account with the same state. */
  calls: readonly string[];
}

/** Lets the calls of a first deployment, an upgrade and a removal fail in turn. */
export async function failEachCall(extent: Extent): Promise<void> {
  await using reference = await openAccount();
  const succeed = async (script: string) => {
    reference.calls.length = 0;
    const { code, output } = await runScript(script, ["--yes"], reference.environment);
    expect(code, output).toBe(0);
    return [...reference.calls];
  };
  const firstCalls = await succeed("deploy");
  const upgradeCalls = await succeed("deploy");
  const removalCalls = await succeed("remove");

  await using standIn = await openAccount();
  await runWithFaults(standIn, { script: "deploy", extent, calls: firstCalls });
  const environment = secretsOf(standIn);
  await runWithFaults(standIn, { script: "deploy", environment, extent, calls: upgradeCalls });
  await runWithFaults(standIn, { script: "remove", extent, calls: removalCalls });
  const { workers, buckets, databases } = standIn.state;
  expect(workers.size + buckets.size + databases.size).toBe(0);
}

/** Each run continues where the last one stopped and fails at its next call, until a last run succeeds. */
async function runWithFaults(standIn: CloudflareStandIn, options: FaultyRuns): Promise<void> {
  const { script, environment = {}, extent, calls } = options;
  const run = () => runScript(script, ["--yes"], { ...standIn.environment, ...environment });
  let shown = "";
  const isTried = (call: string) => extent === "all" || !call.startsWith("GET ");
  const unique = [...new Set(calls)].filter((call) => !OPTIONAL_CALLS.includes(call) && isTried(call));
  for (const [index, call] of unique.entries()) {
    for (const kind of extent === "all" ? KINDS : KINDS.slice(index % 4, (index % 4) + 1)) {
      standIn.fault = { call, kind };
      standIn.calls.length = 0;
      const { code, output } = await run();
      shown += output;
      const title = `${call} ${kind}:\n${output}`;
      // Finished work is not repeated.
      if (!standIn.calls.includes(call)) continue;
      expect.soft(code, title).toBe(1);
      expect.soft(output, title).toContain("run the same command again");
      expect.soft(output, title).toMatch(kind === "403" ? /needs the permission "/ : /dash\.cloudflare\.com/);
      if (script === "remove") continue;
      for (const value of Object.values(secretsOf(standIn)))
        expect(shown + JSON.stringify(environment)).toContain(value);
    }
  }
  standIn.fault = undefined;
  const { code, output } = await run();
  expect(code, output).toBe(0);
  expect(new Set(standIn.state.created).size).toBe(standIn.state.created.length);
}
