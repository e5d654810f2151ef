import { refuseSeveralMethods } from "./curl-body.ts";
import { CurlFailure } from "./curl-failure.ts";
import { readCurlOptions } from "./curl-options.ts";
import { type Destination, readDestinations } from "./curl-output.ts";
import { CURL_VERSION } from "./curl-plan.ts";
import { CurlRun } from "./curl-run.ts";
import { readText } from "./curl-sent-bytes.ts";
import { runTransfer, type TransferRequest } from "./curl-transfer.ts";
import { formatReport, type TransferReport } from "./curl-write-out.ts";
import type { Invocation, MachineCommand } from "./invocation.ts";
import { type ParsedOptions, UsageError } from "./options.ts";

const USAGE = "curl [options...] <url>";

const VERSION = `curl ${CURL_VERSION}
Protocols: http https
Features: brotli libz SSL
`;

const USAGE_EXIT_CODE = 2;

/** @throws UsageError where there is no URL. */
function readTransfers(options: ParsedOptions): TransferRequest[] {
  const addresses = [...options.values("url"), ...options.operands];
  if (addresses.length === 0) throw new UsageError("no URL specified!");
  const destinations = readDestinations(options);
  const uploads = options.values("T");
  const byDefault: Destination = { to: options.has("remote-name-all") ? "remote name" : "stdout" };
  return addresses.map((address, index) => ({
    index,
    address,
    destination: destinations[index] ?? byDefault,
    upload: uploads[index],
  }));
}

async function writeReport(run: CurlRun, report: TransferReport): Promise<void> {
  const template = run.options.value("w");
  if (template === undefined) return;
  const text = template.startsWith("@") ? await readText(run.invocation, template.slice(1)) : template;
  const { stdout, stderr, unknownVariables } = formatReport(text, report);
  for (const name of unknownVariables) {
    run.invocation.warn(`unknown --write-out variable: '${name}'`);
  }
  run.invocation.say(stderr);
  await run.invocation.print(stdout);
}

function complainOfFailure(invocation: Invocation, options: ParsedOptions, failure: CurlFailure): void {
  if (options.has("s") && !options.has("S")) return;
  invocation.complain(`(${failure.exitCode}) ${failure.message}`);
}

/** @returns the exit code of the last transfer. */
async function runTransfers(run: CurlRun, requests: readonly TransferRequest[]): Promise<number> {
  let exitCode = 0;
  for (const request of requests) {
    await run.invocation.step();
    const report = await runTransfer(run, request);
    exitCode = report.exitCode;
    if (exitCode !== 0) {
      complainOfFailure(run.invocation, run.options, new CurlFailure(exitCode, report.errorMessage));
    }
    await writeReport(run, report);
    if (exitCode !== 0 && run.options.has("fail-early")) break;
  }
  await run.saveCookies();
  return exitCode;
}

export const curl: MachineCommand = {
  name: "curl",
  usage: USAGE,
  usageExitCode: USAGE_EXIT_CODE,
  async run(invocation) {
    const options = readCurlOptions(invocation);
    if (options.has("h", "V")) {
      await invocation.print(options.has("V") ? VERSION : `Usage: ${USAGE}\n`);
      return 0;
    }
    const requests = readTransfers(options);
    refuseSeveralMethods(options);
    try {
      const run = await CurlRun.begin(invocation, options);
      if (options.values("o").length > requests.length) run.warn("Got more output options than URLs");
      return await runTransfers(run, requests);
    } catch (error) {
      if (!(error instanceof CurlFailure)) throw error;
      complainOfFailure(invocation, options, error);
      return error.exitCode;
    }
  },
};
