import { readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { SetUpError } from "./set-up-error.ts";

/**
 * Wrangler's local browser binding knows one browser only: a certain version of Chrome for Testing in its cache,
 * which it downloads when the folder is missing. It takes no path to another one. But it never looks inside:
 * whatever lies at the place of the executable is run. This file knows that place.
 */

const DOWNLOAD_HOST = "https://storage.googleapis.com/chrome-for-testing-public";
const ANSWER_MS = 4_000;

/** miniflare is wrangler's own dependency, so it is looked up from there. */
const requireFromWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));

interface Layout {
  /** Folder of one version, such as "linux-126.0.6478.182". */
  platform: string;
  executable: string;
  /** Path in the download host's folder of the version; undefined where there is no build. */
  download?: string;
}

const MAC_EXECUTABLE = "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing";

const LAYOUTS: Readonly<Record<string, Layout>> = {
  "linux-x64": {
    platform: "linux",
    executable: "chrome-linux64/chrome",
    download: "linux64/chrome-linux64.zip",
  },
  // There is no build for Linux on ARM; wrangler still looks there.
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
  /** The folder of the version, below the cache folder. */
  folder: string;
  /** The executable, below the cache folder. */
  executable: string;
  downloadURL?: string;
}

/**
 * What wrangler looks for on this kind of machine.
 *
 * @throws SetUpError on a platform without layout, such as Windows.
 */
export function expectedBrowser(machine: string, version: string): ExpectedBrowser {
  const layout = LAYOUTS[machine];
  if (layout === undefined) {
    throw new SetUpError(`Berth starts locally on Linux and macOS; this is ${machine}.`);
  }
  const folder = `.wrangler/chrome/${layout.platform}-${version}`;
  return {
    version,
    folder,
    executable: `${folder}/${layout.executable}`,
    ...(layout.download && { downloadURL: `${DOWNLOAD_HOST}/${version}/${layout.download}` }),
  };
}

/** The version that the installed wrangler wants. It exports it nowhere, so its source is asked. */
export function expectedVersion(
  source = readFileSync(requireFromWrangler.resolve("miniflare"), "utf8"),
): string {
  const version = /BROWSER_VERSION = "([\d.]+)"/.exec(source)?.[1];
  if (version !== undefined) return version;
  throw new SetUpError("The installed wrangler names no browser version where scripts/local looks for it.");
}

/** The folder in which wrangler keeps its cache for this user. */
export function userCacheFolder(environment: NodeJS.ProcessEnv): string {
  if (environment.XDG_CACHE_HOME) return environment.XDG_CACHE_HOME;
  return join(homedir(), process.platform === "darwin" ? "Library/Caches" : ".cache");
}

/** Size of the download in bytes, 0 when it is not told; undefined when the host cannot be reached. */
export async function askDownloadSize(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(ANSWER_MS) });
    return response.ok ? Number(response.headers.get("content-length")) : undefined;
  } catch {
    return undefined;
  }
}

/** Makes the download that wrangler would make at the first session, now and to the same place. */
export async function download({ version, folder }: ExpectedBrowser, cacheFolder: string): Promise<void> {
  const { Browser, install } = await import("@puppeteer/browsers");
  // What a broken-off download has left would pass for a whole one.
  rmSync(join(cacheFolder, folder), { recursive: true, force: true });
  let toldTenths = 0;
  await install({
    browser: Browser.CHROME,
    buildId: version,
    cacheDir: join(cacheFolder, ".wrangler"),
    downloadProgressCallback: (downloaded, total) => {
      const tenths = Math.floor((10 * downloaded) / total);
      if (tenths > toldTenths) console.log(`  ${tenths * 10} %`);
      toldTenths = tenths;
    },
  });
}
