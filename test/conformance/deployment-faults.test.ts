import { it } from "vitest";
import { failEachCall } from "../scripts/deploy/faults.ts";

it(
  "a first deployment, an upgrade and a removal complete after a failure of each change",
  () => failEachCall("changes"),
  900_000,
);
