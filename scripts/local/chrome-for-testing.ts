import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { PUPPETEER_REVISIONS } from "puppeteer-core/internal/revisions.js";

/** Puppeteer's. */
const CACHE_FOLDER = join(homedir(), ".cache", "puppeteer");

const LOOKUP_TIMEOUT_MS = 4_000;

const VERSION = PUPPETEER_REVISIONS.chrome;

/** Returns the paths of downloaded Chromes. */
export async function downloadedChromes(): Promise<string[]> {
  const { Browser, getInstalledBrowsers } = await import("@puppeteer/browsers");
  const installed = await getInstalledBrowsers({ cacheDir: CACHE_FOLDER });
  return installed.flatMap(({ browser, executablePath }) =>
    browser === Browser.CHROME ? [executablePath] : [],
  );
}

/** Downloads Chrome for Testing. @throws Error when it cannot, such as without network or on Linux on ARM. */
export async function downloadChrome(): Promise<void> {
  const { Browser, canDownload, computeExecutablePath, install, uninstall } = await import(
    "@puppeteer/browsers"
  );
  const options = { browser: Browser.CHROME, buildId: VERSION, cacheDir: CACHE_FOLDER };
  const path = computeExecutablePath(options);
  // It lacks shared libraries; another copy would as well.
  if (existsSync(path)) throw new Error(`${path} exists but does not run`);
  const canReach = await Promise.race([canDownload(options), setTimeout(LOOKUP_TIMEOUT_MS, false)]);
  if (!canReach) throw new Error("there is none for this machine, or its host is not reachable");
  // A partial download would pass for a complete one.
  await uninstall(options);
  console.log(`Downloading Chrome for Testing ${VERSION} to ${CACHE_FOLDER} …`);
  let reportedTenths = 0;
  const downloadProgressCallback = (downloaded: number, total: number) => {
    const tenths = Math.floor((10 * downloaded) / total);
    if (tenths > reportedTenths) console.log(`  ${tenths * 10} %`);
    reportedTenths = tenths;
  };
  await install({ ...options, downloadProgressCallback });
}
