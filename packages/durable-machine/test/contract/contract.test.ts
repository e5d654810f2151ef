import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type ContractCase, readCases } from "./case.ts";
import { KNOWN_DIFFERENCES } from "./differences.ts";
import { hasProgram, IS_ROOT, LinuxRunner } from "./linux.ts";
import { MachineRunner } from "./machine.ts";
import { ASPECTS, type Aspect, type Outcome } from "./outcome.ts";
import { prepareCases } from "./prepared-files.ts";

/**
 * The same scripts on the machine and on the Linux that the tests run on: what they write, how they end and what they
 * leave must be equal, but for the known differences.
 */

const CONCURRENT_CASES = 4;

vi.setConfig({ maxConcurrency: CONCURRENT_CASES });

const cases = readCases();
const leftOut = cases.filter(reasonToLeaveOut);
const differences = knownDifferences();

const compared = cases.filter((contractCase) => !leftOut.includes(contractCase));

let linux: LinuxRunner;
let machine: MachineRunner;

beforeAll(async () => {
  if (process.platform !== "linux") throw new Error("These tests compare with a Linux: run them on one");
  linux = new LinuxRunner();
  const tree = prepareCases(compared);
  linux.prepare(tree);
  machine = new MachineRunner();
  await machine.prepare(linux.directory, tree);
});
afterAll(async () => {
  linux?.[Symbol.dispose]();
  await machine?.[Symbol.asyncDispose]();
});

describe.concurrent("scripts do as on Linux", () => {
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

test("every known difference is of a case that there is", () => {
  const names = new Set(cases.map(({ name }) => name));
  expect(names.size).toBe(cases.length);
  expect([...differences.keys()].filter((name) => !names.has(name))).toEqual([]);
});

test("what is left out is said", () => {
  const texts = leftOut.map((contractCase) => `${contractCase.name} (${reasonToLeaveOut(contractCase)})`);
  process.stdout.write(`Of ${cases.length} cases left out here: ${texts.length}\n${texts.join("\n")}\n`);
  expect(leftOut.length).toBeLessThan(cases.length / 10);
});

function compare({ name, argv, looseErrors }: ContractCase, actual: Outcome, expected: Outcome): void {
  const known = differences.get(name) ?? [];
  for (const aspect of known) {
    expect(actual[aspect], `${aspect} has become that of Linux: take it off the list`).not.toEqual(
      expected[aspect],
    );
  }
  const view = (outcome: Outcome) => {
    const stderr = looseErrors ? outcome.stderr !== "" : outcome.stderr;
    const aspects = Object.entries({ ...outcome, stderr }).filter(
      ([aspect]) => !known.some((it) => it === aspect),
    );
    return Object.fromEntries(aspects);
  };
  const [seen, wanted] = [view(actual), view(expected)];
  const differing = ASPECTS.filter((aspect) => !isDeepStrictEqual(seen[aspect], wanted[aspect]));
  expect(seen, `${argv.at(-1)}: differs in ${JSON.stringify(differing)}`).toEqual(wanted);
}

function reasonToLeaveOut({ only, needs }: ContractCase): string | undefined {
  if (only === "root" && !IS_ROOT) return "only as root";
  if (only === "user" && IS_ROOT) return "not as root";
  const missing = needs.filter((program) => !hasProgram(program));
  return missing.length > 0 ? `no ${missing.join(", ")}` : undefined;
}

function knownDifferences(): Map<string, readonly Aspect[]> {
  return new Map(KNOWN_DIFFERENCES.flatMap(({ cases }) => Object.entries(cases)));
}
