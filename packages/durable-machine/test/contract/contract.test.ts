import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ContractCase, readCases } from "./case.ts";
import { KNOWN_DIFFERENCES } from "./differences.ts";
import { hasProgram, IS_ROOT, LinuxRunner } from "./linux.ts";
import { MachineRunner } from "./machine.ts";
import { ASPECTS, type Aspect, type Outcome } from "./outcome.ts";
import { prepareCases } from "./prepared-files.ts";

/** Runs scripts on the machine and on Linux: output, exit code and files differ only in known ways. */

const CONCURRENT_CASES = 4;

vi.setConfig({ maxConcurrency: CONCURRENT_CASES });

const cases = readCases();
const skipped = cases.filter(reasonToSkip);
const differences = knownDifferences();

const compared = cases.filter((contractCase) => !skipped.includes(contractCase));

let linux: LinuxRunner;
let machine: MachineRunner;

beforeAll(async () => {
  if (process.platform !== "linux") throw new Error("These tests require Linux");
  linux = new LinuxRunner();
  const tree = prepareCases(compared);
  linux.prepare(tree);
  machine = new MachineRunner();
  await machine.prepare(linux.directory, tree);
});
afterAll(async () => {
  linux?.[Symbol.dispose]();
  await machine?.[Symbol.asyncDispose]();
}, 60_000);

describe.concurrent("scripts behave as on Linux", () => {
  for (const [index, contractCase] of compared.entries()) {
    test(contractCase.name, async () => {
      const directory = `${linux.directory}/${index}`;
      const [expected, actual] = await Promise.all([
        linux.run(contractCase, directory),
        machine.run(contractCase, directory),
      ]);
      compare(contractCase, actual, expected);
    });
  }
});

test("known differences refer to existing cases", () => {
  const names = new Set(cases.map(({ name }) => name));
  expect(names.size).toBe(cases.length);
  expect([...differences.keys()].filter((name) => !names.has(name))).toEqual([]);
});

test("prints skipped cases", () => {
  const texts = skipped.map((contractCase) => `${contractCase.name} (${reasonToSkip(contractCase)})`);
  process.stdout.write(`Skipped ${texts.length} of ${cases.length} cases:\n${texts.join("\n")}\n`);
  expect(skipped.length).toBeLessThan(cases.length / 10);
});

function compare({ name, argv, looseErrors }: ContractCase, actual: Outcome, expected: Outcome): void {
  const known = differences.get(name) ?? [];
  for (const aspect of known) {
    expect(
      actual[aspect],
      `${aspect} now equals that of Linux: remove it from the known differences`,
    ).not.toEqual(expected[aspect]);
  }
  const view = (outcome: Outcome) => {
    const stderr = looseErrors ? outcome.stderr !== "" : outcome.stderr;
    const aspects = Object.entries({ ...outcome, stderr }).filter(
      ([aspect]) => !known.some((it) => it === aspect),
    );
    return Object.fromEntries(aspects);
  };
  const [actualView, expectedView] = [view(actual), view(expected)];
  const differing = ASPECTS.filter((aspect) => !isDeepStrictEqual(actualView[aspect], expectedView[aspect]));
  expect(actualView, `${argv.at(-1)}: differs in ${JSON.stringify(differing)}`).toEqual(expectedView);
}

function reasonToSkip({ only, needs }: ContractCase): string | undefined {
  if (only === "root" && !IS_ROOT) return "only as root";
  if (only === "user" && IS_ROOT) return "not as root";
  const missing = needs.filter((program) => !hasProgram(program));
  return missing.length > 0 ? `missing ${missing.join(", ")}` : undefined;
}

function knownDifferences(): Map<string, readonly Aspect[]> {
  return new Map(KNOWN_DIFFERENCES.flatMap(({ cases }) => Object.entries(cases)));
}
