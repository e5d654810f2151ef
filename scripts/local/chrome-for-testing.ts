import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { SetUpError } from "./set-up-error.ts";

/**
 * Wrangler's local browser binding accepts no path of a browser. It runs whatever is at the path of one version of
 * Chrome for Testing in its cache, and downloads that version if the folder is missing.
 */

const DOWNLOAD_HOST = "https://storage.googleapis.com/chrome-for-testing-public";
const HEAD_TIMEOUT_MS = 4_000;

const requireFromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));

interface Layout {
  /** Folder of one version, such as "linux-126.0.6478.182". */
  platform: string;
  executable: string;
  /** Path below the version's URL, if there is a build. */
  download?: string;
}

const MAC_EXECUTABLE = "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing";

const LAYOUTS: Readonly<Record<string, Layout>> = {
  "linux-x64": {
    platform: "linux",
    executable: "chrome-linux64/chrome",
    download: "linux64/chrome-linux64.zip",
  },
  // There is no build for Linux on ARM, but wrangler uses this path.
  "linux-arm64": { platform: "linux_arm", executable: "chrome-linux64/chrome" },
  "darwin-x64": {
    platform: "mac",
    executable: `chrome-mac-x64/${MAC_EXECUTABLE}`,
    download: "mac-x64/chrome-mac-x64.zip",
  },
  "darwin-arm64": {
    platform: "mac_arm",
    executable: `chrome-mac-arm64/${MAC_EXECUTABLE}`,
    download: "mac-arm64/chrome-mac-arm64.zip",
  },
};

export interface ExpectedBrowser {
  version: string;
  /** Folder of the version, relative to the cache folder. */
  folder: string;
  /** Relative to the cache folder. */
  executable: string;
  downloadURL?: string;
}

/** Returns the browser that wrangler expects. @throws SetUpError on an unsupported platform, such as Windows. */
export function expectedBrowser(machine: string, version: string): ExpectedBrowser {
  const layout = LAYOUTS[machine];
  if (layout === undefined) {
    throw new SetUpError(`Berth runs locally on Linux and macOS; this is ${machine}.`);
  }
  const folder = `.wrangler/chrome/${layout.platform}-${version}`;
  return {
    version,
    folder,
    executable: `${folder}/${layout.executable}`,
    ...(layout.download && { downloadURL: `${DOWNLOAD_HOST}/${version}/${layout.download}` }),
  };
}

/** Reads the browser version from miniflare's source, because it is not exported. */
export function expectedVersion(
  source = readFileSync(requireFromWrangler.resolve("miniflare"), "utf8"),
): string {
  const version = /BROWSER_VERSION = "([\d.]+)"/.exec(source)?.[1];
  if (version !== undefined) return version;
  throw new SetUpError("The browser version was not found in the source of miniflare.");
}

/** Parent folder of wrangler's cache. */
export function userCacheFolder(environment: NodeJS.ProcessEnv): string {
  if (environment.XDG_CACHE_HOME) return environment.XDG_CACHE_HOME;
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
}

/** Returns the size in bytes, 0 if it is unknown, or undefined if the host is not reachable. */
export async function fetchDownloadSize(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(HEAD_TIMEOUT_MS) });
    return response.ok ? Number(response.headers.get("content-length")) : undefined;
  } catch {
    return undefined;
  }
}

/** Downloads the browser to the path that wrangler uses. */
export async function download({ version, folder }: ExpectedBrowser, cacheFolder: string): Promise<void> {
  const { Browser, install } = await import("@puppeteer/browsers");
  // A partial download would pass for a complete one.
  rmSync(join(cacheFolder, folder), { recursive: true, force: true });
  let reportedTenths = 0;
  await install({
    browser: Browser.CHROME,
    buildId: version,
    cacheDir: join(cacheFolder, ".wrangler"),
    downloadProgressCallback: (downloaded, total) => {
      const tenths = Math.floor((10 * downloaded) / total);
      if (tenths > reportedTenths) console.log(`  ${tenths * 10} %`);
      reportedTenths = tenths;
    },
  });
}
