import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Service } from "../conformance/service.ts";
import { type ContractCase, readCases } from "./machine-contract/case.ts";
import { KNOWN_DIFFERENCES } from "./machine-contract/differences.ts";
import { FILE_CASES } from "./machine-contract/file-cases.ts";
import type { Answer, FileStep, FileStore } from "./machine-contract/file-store.ts";
import { hasProgram, IS_ROOT, LinuxSide, readTree } from "./machine-contract/linux.ts";
import { LinuxFileStore } from "./machine-contract/linux-file-store.ts";
import { MachineSide } from "./machine-contract/machine.ts";
import { MachineFileStore } from "./machine-contract/machine-file-store.ts";
import type { Aspect, Outcome } from "./machine-contract/outcome.ts";
import { prepareCases } from "./machine-contract/prepared-files.ts";

/**
 * The same scripts and the same calls, on a session's machine and on the Linux that the tests run on: what they
 * write, how they end and what they leave must be equal, but for what is known to differ.
 */

const CONCURRENT_CASES = 8;

vi.setConfig({ maxConcurrency: CONCURRENT_CASES });

const cases = readCases();
const leftOut = cases.filter(reasonToLeaveOut);
const differences = knownDifferences();

const compared = cases.filter((contractCase) => !leftOut.includes(contractCase));

let service: Service;
let linux: LinuxSide;
let machine: MachineSide;

beforeAll(async () => {
  if (process.platform !== "linux") throw new Error("These tests compare with a Linux: run them on one");
  service = await Service.start();
  linux = new LinuxSide();
  machine = await MachineSide.open(service.kernel());
  const tree = prepareCases(compared);
  for (const index of Object.keys(FILE_CASES).keys()) tree[`files-${index}/`] = "";
  linux.prepare(tree);
  await machine.prepare(linux.directory, tree);
});
afterAll(async () => {
  linux?.[Symbol.dispose]();
  await service?.end();
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

describe.concurrent("the file endpoints do as Linux", () => {
  for (const [index, [name, steps]] of Object.entries(FILE_CASES).entries()) {
    test(name, async () => {
      const directory = `${linux.directory}/files-${index}`;
      const expected = await runAll(new LinuxFileStore(directory), steps);
      const actual = await runAll(new MachineFileStore(service.kernel(), machine, directory), steps);
      expect(actual).toEqual(expected);
      expect(await machine.readTree(directory)).toEqual(readTree(directory));
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
  expect(view(actual), argv.at(-1)).toEqual(view(expected));
}

async function runAll(store: FileStore, steps: FileStep[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const step of steps) answers.push(await step(store));
  return answers;
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
