import { join } from "node:path";
import { defineConfig } from "@playwright/test";
import { TOOL_FOLDER } from "../../scripts/local/paths.ts";

export const LAPTOP = { width: 1440, height: 900 };

/** Tests of the console in a browser, against one service. scripts/test.ts runs them. */
export default defineConfig({
  testDir: ".",
  testMatch: "*.spec.ts",
  outputDir: join(TOOL_FOLDER, "test", "console"),
  globalSetup: "./global-setup.ts",
  fullyParallel: true,
  forbidOnly: true,
  // Each test has a browser, and most have a session with another one.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: "list",
  use: {
    viewport: LAPTOP,
    permissions: ["clipboard-read", "clipboard-write"],
    launchOptions: { executablePath: process.env.CHROME_PATH },
  },
});
