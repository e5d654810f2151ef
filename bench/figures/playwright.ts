import type Kernel from "@onkernel/sdk";
import { chromium, type Page } from "playwright-core";
import { timePair } from "../samples.ts";
import { openSession } from "../session.ts";
import type { Row } from "../table.ts";

const BASELINE = "Playwright with Chrome";

const CONTENT = '<button onclick="this.textContent = Number(this.textContent) + 1">0</button>';

/** The same steps as in {@link runDirectly}. */
const CODE = `
  await page.setContent(${JSON.stringify(CONTENT)});
  await page.click("button");
  await page.click("button");
  return await page.textContent("button");`;

async function runDirectly(page: Page): Promise<string | null> {
  await page.setContent(CONTENT);
  await page.click("button");
  await page.click("button");
  return await page.textContent("button");
}

/** Executing Playwright code in a session, compared with Playwright in this process and a local Chrome. */
export async function measurePlaywright(kernel: Kernel, chromeURL: string): Promise<Row[]> {
  await using session = await openSession(kernel);
  const execute = async (code: string) => {
    const { result, error } = await kernel.browsers.playwright.execute(session.session_id, { code });
    if (result !== "2") throw new Error(`Unexpected result ${result}: ${error}`);
  };
  const direct = async () => {
    const browser = await chromium.connectOverCDP(chromeURL);
    const context = browser.contexts()[0] ?? (await browser.newContext());
    const page = context.pages()[0] ?? (await context.newPage());
    if ((await runDirectly(page)) !== "2") throw new Error("Unexpected result");
    await browser.close();
  };
  let count = 0;
  const newCode = await timePair(60, {
    berth: () => {
      count += 1;
      return execute(`${CODE} // ${count}`);
    },
    direct,
  });
  const sameCode = await timePair(100, { berth: () => execute(CODE), direct });
  return [
    { figure: "execute, new code", baseline: BASELINE, ...newCode },
    { figure: "execute, same code", baseline: BASELINE, ...sameCode },
  ];
}
