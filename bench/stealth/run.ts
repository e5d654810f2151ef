import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type Kernel from "@onkernel/sdk";
import { chromium } from "playwright-core";
import { runCommand } from "../../scripts/local/command.ts";
import { runScript } from "../../scripts/local/set-up-error.ts";
import { Service } from "../../test/conformance/service.ts";
import type { Finding } from "./finding.ts";
import { DetectorSite } from "./site.ts";
import { type Column, formatFindings } from "./table.ts";

const USAGE = `Asks botd and fpscanner what they think of a session's browser, without stealth and with it, and prints
one table. It starts a service of its own, with data of its own. The first run installs the two detectors, into this
folder alone.

  npm run bench:stealth`;

await runScript(async () => {
  const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
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
  const service = await Service.start();
  try {
    const kernel = service.kernel();
    const columns: Column[] = [];
    for (const [driver, ask] of [
      ["undriven", askUndriven],
      ["Playwright", askDriven],
    ] as const) {
      for (const stealth of [false, true]) {
        const title = `${stealth ? "stealth" : "plain"}, ${driver}`;
        columns.push({ title, findings: await ask(kernel, site, stealth) });
      }
    }
    return columns;
  } finally {
    await service.end();
  }
}

/** A page that no client has ever looked at. */
async function askUndriven(kernel: Kernel, site: DetectorSite, stealth: boolean): Promise<Finding[]> {
  let id: string | undefined;
  try {
    return await site.findingsOf(async (start_url) => {
      id = (await kernel.browsers.create({ stealth, start_url })).session_id;
    });
  } finally {
    if (id !== undefined) await kernel.browsers.deleteByID(id);
  }
}

async function askDriven(kernel: Kernel, site: DetectorSite, stealth: boolean): Promise<Finding[]> {
  const session = await kernel.browsers.create({ stealth });
  try {
    const browser = await chromium.connectOverCDP(session.cdp_ws_url);
    const [context] = browser.contexts();
    if (context === undefined) throw new Error("The session has no browser context");
    const page = await context.newPage();
    return await site.findingsOf((url) => page.goto(url));
  } finally {
    await kernel.browsers.deleteByID(session.session_id);
  }
}
