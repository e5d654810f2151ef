import { it } from "vitest";
import { failEachCall } from "../scripts/deploy/faults.ts";

it(
  "a first deployment, an upgrade and a removal complete after each kind of failure of each call",
  () => failEachCall("all"),
  3_600_000,
);
