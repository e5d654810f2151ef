import { describe, expect, it } from "vitest";
import { type Finding, findingOfError, judgeRestart } from "../../../src/features/probe/check.ts";
import { judgeKeepAlive, judgeLaunches } from "../../../src/features/probe/checks/browsers.ts";
import { judgeMethods } from "../../../src/features/probe/checks/devtools.ts";
import { judgeAbort, judgeEnd, judgeWorker } from "../../../src/features/probe/checks/dynamic-workers.ts";
import { judgeExtensions, judgeProfile } from "../../../src/features/probe/checks/files.ts";
import { judgeReports } from "../../../src/features/probe/checks/holds.ts";
import { judgeProxy, judgeScreencast } from "../../../src/features/probe/checks/pages.ts";
import { judgeLatency } from "../../../src/features/probe/checks/storage.ts";
import {
  BrowserUnavailableError,
  NotSavedError,
  ProtocolError,
} from "../../../src/platform/browser/index.ts";

const limit = new BrowserUnavailableError("limit", "The limit is reached", 5, new Error("429 too many"));
const refusal = (message: string) => {
  const error = new ProtocolError("Protocol error");
  error.originalMessage = message;
  return error;
};
const timeOut = new BrowserUnavailableError(
  "failure",
  "The platform did not answer",
  5,
  new Error("timeout"),
);
const launches = { duration_ms: 900, limits: "" };
const answers = (refusals: Record<string, string>) =>
  new Map(["Page.enable", "Browser.setContentsSize"].map((name) => [name, refusals[name]]));
const MIB = 1024 * 1024;

const CASES: [string, Finding, Finding["outcome"], string][] = [
  ["four launches", judgeLaunches([], launches), "holds", "900 ms"],
  [
    "a limited launch",
    judgeLaunches([limit], launches),
    "holds",
    "1 of 4 failed: the check failed: The limit",
  ],
  ["no launch at all", judgeLaunches([limit, limit, limit, limit], launches), "differs", "4 of 4 failed"],
  ["a launch that fails beside a limit", judgeLaunches([timeOut, limit], launches), "untried", "2 of 4"],
  ["a launch that takes too long", judgeLaunches([timeOut], launches), "untried", "1 of 4"],
  ["a browser that commands keep", judgeKeepAlive(undefined, false), "holds", "only the one without"],
  ["browsers that live anyway", judgeKeepAlive(undefined, true), "untried", "prove nothing"],
  ["a browser lost in spite of commands", judgeKeepAlive("closed", false), "differs", "closed"],
  ["all methods", judgeMethods(answers({})), "holds", "2 of 2"],
  [
    "a method with other parameters",
    judgeMethods(answers({ "Page.enable": "Invalid parameters" })),
    "holds",
    "2 of",
  ],
  [
    "a missing method",
    judgeMethods(answers({ "Page.enable": "'Page.enable' wasn't found" })),
    "differs",
    "Page.enable (",
  ],
  ["a refused method", judgeMethods(answers({ "Page.enable": "Not allowed" })), "differs", "Not allowed"],
  [
    "an optional method",
    judgeMethods(answers({ "Browser.setContentsSize": "no" })),
    "holds",
    "not needed: Browser.set",
  ],
  ["a prepared popup", judgeReports({ popup: "true" }), "holds", "popup waited"],
  [
    "an unprepared worker",
    judgeReports({ worker: "undefined", shared_worker: "true" }),
    "differs",
    "worker ran at once",
  ],
  [
    "a worker that does not start",
    judgeReports({ worker: "true", service_worker: undefined }),
    "untried",
    "did not start",
  ],
  [
    "an unprepared worker beside a missing one",
    judgeReports({ a: "undefined", b: undefined }),
    "differs",
    "ran at once",
  ],
  ["a used proxy", judgeProxy({ address: "203.0.113.7" }, { address: "192.0.2.1" }), "holds", "203.0.113.7"],
  [
    "a proxy without another way out",
    judgeProxy({ address: "203.0.113.7" }, { errorText: "x" }),
    "holds",
    "unknown",
  ],
  [
    "an ignored proxy",
    judgeProxy({ address: "192.0.2.1" }, { address: "192.0.2.1" }),
    "differs",
    "with and without",
  ],
  [
    "a failing proxy",
    judgeProxy({ errorText: "net::ERR_PROXY_CONNECTION_FAILED" }, {}),
    "differs",
    "ERR_PROXY",
  ],
  ["a slow proxy", judgeProxy({ errorText: "net::ERR_TIMED_OUT" }, {}), "untried", "ERR_TIMED_OUT"],
  ["a page without an address", judgeProxy({}, {}), "untried", "PROXY_CHECK_URL"],
  ["a screencast", judgeScreencast(40, 2000), "holds", "20 pictures a second"],
  ["a screencast of one picture", judgeScreencast(1, 10_000), "differs", "1 pictures in 10 s"],
  ["an extension", judgeExtensions(true, []), "holds", "enabled"],
  [
    "a browser without extensions",
    judgeExtensions(true, ["--disable-extensions"]),
    "differs",
    "--disable-extensions",
  ],
  ["an accepted extension", judgeExtensions(false, ["--enable-automation"]), "differs", "not enabled"],
  ["a whole profile", judgeProfile(22 * MIB, 22 * MIB), "holds", "characters"],
  ["a cut profile", judgeProfile(22 * MIB, 5), "differs", "5 of"],
  ["a profile that was not collected", judgeProfile(undefined, undefined), "differs", "only 0"],
  ["a Dynamic Worker", judgeWorker(`[42,"probe"]`), "holds", "both"],
  ["a Dynamic Worker without properties", judgeWorker("[42,null]"), "differs", "[42,null]"],
  ["an ended run", judgeEnd(true, 1), "holds", "ended"],
  ["a run that continues", judgeEnd(true, 2), "differs", "call 2"],
  ["a run with an open response", judgeEnd(false, 1), "differs", "open"],
  ["an aborted call", judgeAbort(true, true), "holds", "cancelled"],
  ["a call that continues", judgeAbort(true, false), "differs", "not cancelled"],
  ["a call that stays open", judgeAbort(false, true), "differs", "open"],
  ["a fast answer", judgeLatency(500, 500), "holds", "500 ms"],
  ["a slow answer", judgeLatency(501, 500), "differs", "501 ms"],
  ["a refusal of the browser", findingOfError(refusal("Not allowed")), "differs", "Not allowed"],
  ["a browser without a disk", findingOfError(new NotSavedError("took no file")), "differs", "took no file"],
  ["a lost connection", findingOfError(new ProtocolError("Target closed")), "untried", "Target closed"],
  ["a platform without browsers", findingOfError(limit), "untried", "429 too many"],
  ["a time-out", findingOfError(timeOut), "untried", "timeout"],
  [
    "a restart",
    judgeRestart("large_profile", 9500, "Error: code was updated"),
    "untried",
    "10 s: Error: code",
  ],
  ["a restart without a reason", judgeRestart("large_profile", 9500, ""), "untried", "restarted within 10 s"],
  [
    "a profile that needs too much memory",
    judgeRestart("large_profile", 1, "its memory limit"),
    "differs",
    "memory",
  ],
  [
    "a check that needs too much memory",
    judgeRestart("screencast", 1, "its memory limit"),
    "untried",
    "memory",
  ],
  ["an object that does not live", judgeRestart("object_lifetime", 9500, ""), "differs", "within 10 s"],
  ["a failure that is no error", findingOfError("text"), "untried", "text"],
];

describe("a judgement", () => {
  it.each(CASES)("of %s", (_, finding, outcome, seen) => {
    expect(finding.outcome, finding.seen).toBe(outcome);
    expect(finding.seen).toContain(seen);
  });
});
