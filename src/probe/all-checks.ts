import type { Check } from "./check.ts";
import { browserChecks } from "./checks/browsers.ts";
import { devToolsChecks } from "./checks/devtools.ts";
import { dynamicWorkerChecks } from "./checks/dynamic-workers.ts";
import { holdChecks } from "./checks/holds.ts";
import { pageChecks } from "./checks/pages.ts";
import { storageChecks } from "./checks/storage.ts";

/** The checks that run in the service. */
export const SERVICE_CHECKS: readonly Check[] = [
  ...browserChecks,
  ...devToolsChecks,
  ...holdChecks,
  ...pageChecks,
  ...dynamicWorkerChecks,
  ...storageChecks,
];
