import { parseArgs } from "node:util";
import { exitWithHelp } from "./local/options.ts";
import { errorText, runScript, SetUpError } from "./local/set-up-error.ts";
import { listenForStop, type StopRequest } from "./local/stop-request.ts";
import { type Finding, type Probe, ProbeAPI, type Result, untried } from "./probe/api.ts";
import {
  type ClientSession,
  openClientSession,
  tryDeliveries,
  tryLog,
  tryMessages,
  tryReconnect,
} from "./probe/client-checks.ts";
import { startExitProxy } from "./probe/exit-proxy.ts";
import { dollarsOf, formatCost, formatResult, LOCAL_DIFFERENCES, sumCosts } from "./probe/report.ts";
import { openRemoteTarget, startLocalTarget, type Target } from "./probe/target.ts";

const USAGE = `Tests what the platform must support, and stores the results in the service (GET /admin/capabilities).

  npm run probe                            a service of its own on this machine
  npm run probe -- --remote https://…      a deployed service, with ADMIN_TOKEN of the environment

  --only NAME     only this check; may be repeated
  --long          also the checks that take half an hour; on this machine they take less than a minute
  --proxy URL     a working proxy for context_proxy (on this machine: one that is started for it)
  --redeploy      with --remote: deploys this checkout while a client is connected
  --tail          with --remote: searches the output of \`wrangler tail\` for tokens
  --json          prints the results as JSON

Exits with 1 if something differs on this machine that is not a known difference.`;

/** Longer than the keep-alive time of the probe's browsers, and half an hour, as a session may last. */
const REMOTE_SECONDS: Record<string, number> = { browser_keep_alive: 200, object_lifetime: 1800 };
const LOCAL_SECONDS = 20;

const CLIENT_CHECKS: Record<string, (session: ClientSession, target: Target) => Promise<Finding>> = {
  client_messages: tryMessages,
  client_deliveries: tryDeliveries,
  client_reconnect: tryReconnect,
  log_search: tryLog,
};

const OPTIONS = {
  remote: { type: "string" },
  only: { type: "string", multiple: true },
  proxy: { type: "string" },
  long: { type: "boolean", default: false },
  redeploy: { type: "boolean", default: false },
  tail: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof readOptions>;

await runScript(async () => {
  exitWithHelp(USAGE, process.argv.slice(2));
  const options = readOptions();
  const stop = listenForStop();
  const { remote, redeploy, tail } = options;
  await using target =
    remote === undefined
      ? await startLocalTarget(stop)
      : await openRemoteTarget(remote, { redeploys: redeploy, tails: tail });
  const results = await probe(target, options, stop);
  const unexpected = results.filter(
    ({ name, outcome }) => outcome === "differs" && !(name in LOCAL_DIFFERENCES),
  );
  return target.isLocal && unexpected.length > 0 ? 1 : 0;
});

function readOptions() {
  try {
    return parseArgs({ options: OPTIONS }).values;
  } catch (error) {
    throw new SetUpError(`${errorText(error)}\n\n${USAGE}`);
  }
}

async function probe(
  target: Target,
  options: Options,
  { requested: signal }: StopRequest,
): Promise<Result[]> {
  const api = new ProbeAPI({ url: target.baseURL, token: target.adminToken });
  const checks = selectChecks(await api.listProbes(), options.only);
  await using exit = target.isLocal ? await startExitProxy() : undefined;
  const proxy = options.proxy ?? exit?.url;
  const results: Result[] = [];
  const take = (check: Probe, result: Result) => {
    results.push(result);
    if (!options.json) console.log(formatResult(check, result));
  };
  for (const check of checks.filter(({ runs_in }) => runs_in === "service")) {
    const seconds = target.isLocal ? LOCAL_SECONDS : (REMOTE_SECONDS[check.name] ?? LOCAL_SECONDS);
    const isSkipped = check.is_long && !options.long;
    take(
      check,
      isSkipped ? toResult(check, untried("needs --long")) : await api.run(check, { proxy, seconds, signal }),
    );
  }
  const clientChecks = checks.filter(({ runs_in }) => runs_in === "client");
  const clientSeconds = await tryAsClient(api, target, clientChecks, take);
  const cost = sumCosts([
    ...results.map(({ cost }) => cost),
    { browsers: clientSeconds === 0 ? 0 : 1, browser_seconds: clientSeconds },
  ]);
  if (options.json) console.log(JSON.stringify({ results, cost, dollars: dollarsOf(cost) }, null, 2));
  else console.log(`\n${formatCost(cost)}`);
  return results;
}

/** @returns how many seconds its browser lived. */
async function tryAsClient(
  api: ProbeAPI,
  target: Target,
  checks: readonly Probe[],
  take: (check: Probe, result: Result) => void,
): Promise<number> {
  if (checks.length === 0) return 0;
  let obstacle = "";
  await using session = await openClientSession(api.operator).catch((error: unknown) => {
    obstacle = errorText(error);
    return undefined;
  });
  if (session === undefined) {
    for (const check of checks) take(check, toResult(check, untried(obstacle)));
    return 0;
  }
  for (const check of checks) {
    const startedAt = Date.now();
    const run =
      CLIENT_CHECKS[check.name] ?? (async () => untried("this version of npm run probe does not know it"));
    const finding = await run(session, target).catch((error: unknown) => untried(errorText(error)));
    const result = toResult(check, finding, Date.now() - startedAt);
    await api.report(result);
    take(check, result);
  }
  return Math.ceil((Date.now() - session.startedAt) / 1000);
}

function toResult({ name }: Probe, { outcome, seen, details = {} }: Finding, duration_ms = 0): Result {
  return { name, outcome, seen: seen.slice(0, 500), details, duration_ms, cost: {} };
}

/** @throws SetUpError for an unknown name. */
function selectChecks(all: Probe[], only: readonly string[] | undefined): Probe[] {
  const unknown = only?.find((name) => !all.some((check) => check.name === name));
  if (unknown !== undefined) {
    throw new SetUpError(
      `There is no check ${unknown}. There are: ${all.map(({ name }) => name).join(", ")}`,
    );
  }
  return only === undefined ? all : all.filter(({ name }) => only.includes(name));
}
