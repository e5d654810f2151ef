import puppeteer, { type Browser } from "puppeteer-core";

/** Starts a Chrome without Berth. Under root, Chrome has no sandbox. */
export function launchChrome(executablePath: string): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return puppeteer.launch({ executablePath, headless: true, args });
}
