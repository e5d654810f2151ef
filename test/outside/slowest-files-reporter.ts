import type { Reporter, TestModule, TestRunEndReason, Vitest } from "vitest/node";

const MAX_FILES = 10;

interface FileTime {
  seconds: number;
  tests: number;
  path: string;
}

/** Prints the slowest test files after a run; their times include imports and hooks. */
export class SlowestFilesReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], _errors: readonly unknown[], reason: TestRunEndReason): void {
    if (reason === "interrupted" || modules.length < 2) return;
    const slowest = modules
      .map(measure)
      .sort((one, other) => other.seconds - one.seconds)
      .slice(0, MAX_FILES);
    this.#vitest?.logger.log(`\n${formatTable(slowest)}`);
  }
}

function measure(module: TestModule): FileTime {
  const { collectDuration, setupDuration, environmentSetupDuration, prepareDuration, duration } =
    module.diagnostic();
  const milliseconds =
    collectDuration + setupDuration + environmentSetupDuration + prepareDuration + duration;
  return {
    seconds: milliseconds / 1000,
    tests: [...module.children.allTests()].length,
    path: module.relativeModuleId,
  };
}

function formatTable(files: readonly FileTime[]): string {
  const rows = files.map(({ seconds, tests, path }) => [seconds.toFixed(1), String(tests), path] as const);
  return [["seconds", "tests", "slowest files"] as const, ...rows]
    .map(([seconds, tests, path]) => `${seconds.padStart(9)}  ${tests.padStart(5)}  ${path}`)
    .join("\n");
}
