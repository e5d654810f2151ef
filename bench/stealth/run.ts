import { existsSync } from "node:fs";
import { join } from "node:path";
import type Kernel from "@onkernel/sdk";
import { chromium } from "playwright-core";
import { runCommand } from "../../scripts/local/command.ts";
import { readSwitches } from "../../scripts/local/options.ts";
import { runScript } from "../../scripts/local/set-up-error.ts";
import { Service } from "../../test/conformance/service.ts";
import { openSession } from "../session.ts";
import type { Finding } from "./finding.ts";
import { DetectorSite } from "./site.ts";
import { type Column, formatFindings } from "./table.ts";

const USAGE = `Runs the bot detectors botd and fpscanner in sessions with and without stealth, and prints a table.

  npm run bench:stealth

It starts a separate service with its own data. The first run installs the detectors into bench/stealth.`;

await runScript(async () => {
  readSwitches(USAGE, []);
  await installDetectors();
  console.log(`\n${formatFindings(await measure())}`);
  return 0;
});

async function installDetectors(): Promise<void> {
  const folder = import.meta.dirname;
  if (existsSync(join(folder, "node_modules"))) return;
  await runCommand("npm", ["ci", "--ignore-scripts", "--prefix", folder], {
    title: "Installing the detectors",
  });
}

async function measure(): Promise<Column[]> {
  await using site = await DetectorSite.open();
  await using cleanUp = new AsyncDisposableStack();
  const service = cleanUp.adopt(await Service.start(), (started) => started.end());
  const kernel = service.kernel();
  const columns: Column[] = [];
  for (const [client, visit] of [
    ["no client", visitWithoutClient],
    ["Playwright", visitWithPlaywright],
  ] as const) {
    for (const stealth of [false, true]) {
      const title = `${stealth ? "stealth" : "plain"}, ${client}`;
      columns.push({ title, findings: await visit(kernel, site, stealth) });
    }
  }
  return columns;
}

async function visitWithoutClient(kernel: Kernel, site: DetectorSite, stealth: boolean): Promise<Finding[]> {
  let id: string | undefined;
  try {
    return await site.collectFindings(async (start_url) => {
      id = (await kernel.browsers.create({ stealth, start_url })).session_id;
    });
  } finally {
    if (id !== undefined) await kernel.browsers.deleteByID(id);
  }
}

async function visitWithPlaywright(kernel: Kernel, site: DetectorSite, stealth: boolean): Promise<Finding[]> {
  await using session = await openSession(kernel, { stealth });
  const browser = await chromium.connectOverCDP(session.cdp_ws_url);
  const [context] = browser.contexts();
  if (context === undefined) throw new Error("The session has no browser context");
  const page = await context.newPage();
  return await site.collectFindings((url) => page.goto(url));
}
