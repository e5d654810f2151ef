import type { Checks } from "./check.ts";
import { browserChecks } from "./checks/browsers.ts";
import { devtoolsChecks } from "./checks/devtools.ts";
import { dynamicWorkerChecks } from "./checks/dynamic-workers.ts";
import { fileChecks } from "./checks/files.ts";
import { holdChecks } from "./checks/holds.ts";
import { pageChecks } from "./checks/pages.ts";
import { storageChecks } from "./checks/storage.ts";
import { streamChecks } from "./checks/streams.ts";

/** The checks that run in the service. */
export const SERVICE_CHECKS: Checks = {
  ...browserChecks,
  ...devtoolsChecks,
  ...holdChecks,
  ...pageChecks,
  ...fileChecks,
  ...dynamicWorkerChecks,
  ...storageChecks,
  ...streamChecks,
};

/** They run for minutes in the background. */
export const LONG_CHECKS: ReadonlySet<string> = new Set(["browser_keep_alive", "object_lifetime"]);
