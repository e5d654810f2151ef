import type { CheckName } from "../capabilities/index.ts";
import type { Check } from "./check.ts";
import * as browsers from "./checks/browsers.ts";
import * as devtools from "./checks/devtools.ts";
import * as dynamicWorkers from "./checks/dynamic-workers.ts";
import * as files from "./checks/files.ts";
import * as holds from "./checks/holds.ts";
import * as pages from "./checks/pages.ts";
import * as storage from "./checks/storage.ts";

/** The checks that run in the service. */
export const SERVICE_CHECKS: Partial<Record<CheckName, Check>> = {
  browser_launches: browsers.tryLaunches,
  browser_sockets: browsers.trySockets,
  browser_listing: browsers.tryListing,
  browser_keep_alive: browsers.tryKeepAlive,
  browser_version: browsers.tryVersion,
  devtools_methods: devtools.tryMethods,
  devtools_refusals: devtools.tryUnknownMethod,
  hold_popups: holds.tryPopups,
  hold_frames: holds.tryFrames,
  hold_workers: holds.tryWorkers,
  context_proxy: pages.tryContextProxy,
  downloads: files.tryDownloads,
  uploads: files.tryUploads,
  extensions: files.tryExtensions,
  large_messages: pages.tryLargeMessages,
  screencast: pages.tryScreencast,
  video_encoding: pages.tryVideoEncoding,
  large_profile: files.tryLargeProfile,
  object_lifetime: browsers.tryLifetime,
  dynamic_workers: dynamicWorkers.tryWorker,
  dynamic_limits: dynamicWorkers.tryLimit,
  dynamic_end: dynamicWorkers.tryEnd,
  dynamic_abort: dynamicWorkers.tryAbort,
  d1_latency: storage.tryD1,
  r2_latency: storage.tryR2,
};

/** They run for minutes in the background. */
export const LONG_CHECKS: ReadonlySet<string> = new Set(["browser_keep_alive", "object_lifetime"]);

/** A restart of the object is what they look for. In others it is a disturbance. */
export const RESTART_CHECKS: ReadonlySet<string> = new Set(["large_profile", "object_lifetime"]);
