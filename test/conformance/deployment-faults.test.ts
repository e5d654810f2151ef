import { expect, it } from "vitest";
import { deploy, openAccount, secretsOf } from "../scripts/deploy/deployment.ts";
import { runWithFaults } from "../scripts/deploy/faults.ts";
import { runScript } from "./run-script.ts";

const kinds = "one";

it("complete a first deployment, an upgrade and a removal after a failure of each call", async () => {
  await using reference = await openAccount();
  expect((await deploy(reference)).code).toBe(0);
  const firstCalls = reference.calls.splice(0);
  expect((await deploy(reference)).code).toBe(0);
  const upgradeCalls = reference.calls.splice(0);
  expect((await runScript("remove", ["--yes"], reference.environment)).code).toBe(0);

  await using standIn = await openAccount();
  await runWithFaults(standIn, { script: "deploy", kinds, calls: firstCalls });
  const environment = secretsOf(standIn);
  await runWithFaults(standIn, { script: "deploy", environment, kinds, calls: upgradeCalls });
  await runWithFaults(standIn, { script: "remove", kinds, calls: reference.calls });
  expect(standIn.state.workers.size + standIn.state.buckets.size + standIn.state.databases.size).toBe(0);
}, 900_000);
