import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findBrowsers, installedCandidates } from "./browser-search.ts";
import {
  askDownloadSize,
  download,
  type ExpectedBrowser,
  expectedBrowser,
  expectedVersion,
  userCacheFolder,
} from "./chrome-for-testing.ts";
import { runCommand } from "./command.ts";
import { TOOL_FOLDER } from "./paths.ts";
import { SetUpError } from "./set-up-error.ts";
import { untilAborted } from "./stop-request.ts";

/** The cache that wrangler is given instead of the user's own, which stays untouched. */
const CACHE_FOLDER = join(TOOL_FOLDER, "cache");

const VERSION_MS = 30_000;

/** What keeps Chrome from phoning home. */
const QUIET_FLAGS = [
  "--disable-component-update",
  "--disable-background-networking",
  "--no-default-browser-check",
];

export interface PreparedBrowser {
  executable: string;
  /** What makes wrangler, and the tests inside workerd, run it. */
  variables: { XDG_CACHE_HOME: string };
}

/**
 * Finds a browser, or gets one, and puts it where wrangler looks.
 *
 * @throws SetUpError that says what to install.
 */
export async function prepareBrowser(signal: AbortSignal): Promise<PreparedBrowser> {
  const expected = expectedBrowser(`${process.platform}-${process.arch}`, expectedVersion());
  const browser = findWorking(expected) ?? (await obtain(expected, signal));
  writeWrapper(expected, browser.path);
  console.log(`Browser: ${browser.version} (${browser.path})`);
  return { executable: join(CACHE_FOLDER, expected.executable), variables: { XDG_CACHE_HOME: CACHE_FOLDER } };
}

interface Browser {
  path: string;
  version: string;
}

function findWorking(expected: ExpectedBrowser): Browser | undefined {
  const chromePath = process.env.CHROME_PATH;
  const cacheFolder = userCacheFolder(process.env);
  const found = findBrowsers({
    chromePath,
    // Under `npm test` the user's cache is our own, which holds nothing but the wrapper.
    downloaded: cacheFolder === CACHE_FOLDER ? undefined : join(cacheFolder, expected.executable),
    installed: installedCandidates(process.platform, process.env.PATH ?? "", homedir()),
    isExecutable,
  });
  for (const path of found) {
    const version = readVersion(path);
    if (version !== undefined) return { path, version };
    if (chromePath)
      throw new SetUpError(`CHROME_PATH is ${chromePath}, which does not run: see \`${path} --version\`.`);
    console.log(`${path} does not run (see \`${path} --version\`); looking further.`);
  }
  if (chromePath) throw new SetUpError(`CHROME_PATH is ${chromePath}, which is no executable file.`);
  return undefined;
}

async function obtain(expected: ExpectedBrowser, signal: AbortSignal): Promise<Browser> {
  await tryDownload(expected, signal);
  const downloaded = findWorking(expected);
  if (downloaded !== undefined) return downloaded;
  if (isDebianRoot()) {
    await tryApt(signal);
    const installed = findWorking(expected);
    if (installed !== undefined) return installed;
  }
  throw new SetUpError(
    "No Chrome or Chromium was found, and none can be downloaded or installed from here. Install one:\n" +
      "  Debian           apt-get install chromium\n" +
      "  Ubuntu           Google Chrome's package, https://www.google.com/chrome (Ubuntu's own is a snap)\n" +
      "  Fedora           dnf install chromium\n" +
      "  Alpine           apk add chromium\n" +
      "  macOS            https://www.google.com/chrome\n" +
      "or set CHROME_PATH to the executable of one.",
  );
}

async function tryDownload(expected: ExpectedBrowser, signal: AbortSignal): Promise<void> {
  const cacheFolder = userCacheFolder(process.env);
  // One that is there and does not run lacks shared libraries, as another copy would.
  if (expected.downloadURL === undefined || isExecutable(join(cacheFolder, expected.executable))) return;
  console.log("No Chrome or Chromium is installed; asking Chrome's download host …");
  const size = await askDownloadSize(expected.downloadURL);
  if (size === undefined) {
    console.log("It does not answer.");
    return;
  }
  const megabytes = size > 0 ? ` (${Math.round(size / 1_000_000)} MB)` : "";
  console.log(`Downloading Chrome for Testing ${expected.version}${megabytes} to ${cacheFolder} …`);
  try {
    await Promise.race([download(expected, cacheFolder), untilAborted(signal)]);
  } catch (error) {
    console.log(`The download failed: ${error instanceof Error ? error.message : error}`);
  }
  signal.throwIfAborted();
}

async function tryApt(signal: AbortSignal): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const install = ["install", "-q", "-y", "--no-install-recommends", "chromium", "fonts-liberation"];
  console.log("Installing Chromium with apt-get (about 120 MB) …");
  try {
    await runCommand("apt-get", ["update", "-q"], { title: "apt-get update", env, signal });
    await runCommand("apt-get", install, { title: "apt-get install chromium", env, signal });
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.log(error.message);
  }
}

/** Whether apt-get can install a Chromium: on Debian and its kin, and as root. */
function isDebianRoot(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync("/etc/os-release", "utf8"));
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** What `--version` says; undefined when the file does not run, as where shared libraries are missing. */
function readVersion(path: string): string | undefined {
  try {
    const output = execFileSync(path, ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: VERSION_MS,
    });
    return /^.*\d+\.\d+.*$/m.exec(output)?.[0].trim();
  } catch {
    return undefined;
  }
}

/** Puts a script that becomes the browser at the place where wrangler looks for its own. */
function writeWrapper(expected: ExpectedBrowser, browser: string): void {
  const path = join(CACHE_FOLDER, expected.executable);
  mkdirSync(dirname(path), { recursive: true });
  // Services that start side by side share the wrapper, so it changes in one step.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, wrapperScript(browser, process.getuid?.() === 0), { mode: 0o755 });
  renameSync(draft, path);
  // Without this mark wrangler would take a failed launch for a broken download, and delete the folder.
  writeFileSync(join(CACHE_FOLDER, expected.folder, ".miniflare-install-complete"), "");
}

/** The script `exec`s, so that the browser keeps the process id that wrangler knows. */
export function wrapperScript(browser: string, isRoot: boolean): string {
  // Chrome's sandbox refuses to work for root, and for nobody else.
  const flags = isRoot ? ["--no-sandbox", ...QUIET_FLAGS] : QUIET_FLAGS;
  const quoted = `'${browser.replaceAll("'", "'\\''")}'`;
  // Without a locale Chrome stores downloads whose names are not ASCII as "download".
  return `#!/bin/sh\nexport LC_CTYPE=C.UTF-8\nexec ${quoted} ${flags.join(" ")} "$@"\n`;
}
