import type Kernel from "@onkernel/sdk";
import { chromium, type Page } from "playwright-core";
import { timePair } from "../samples.ts";
import type { Row } from "../table.ts";

const BESIDE = "Playwright at Chrome directly";

const CONTENT = '<button onclick="this.textContent = Number(this.textContent) + 1">0</button>';

/** What is timed, once as code that is sent and once as it is here. */
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

/**
 * How long code beside a session's browser takes, over HTTP with the SDK, beside Playwright in this process that
 * connects to a Chrome of this machine, does the same and leaves.
 */
export async function measurePlaywright(kernel: Kernel, chromeURL: string): Promise<Row[]> {
  const session = await kernel.browsers.create({ timeout_seconds: 600 });
  const execute = async (code: string) => {
    const { result, error } = await kernel.browsers.playwright.execute(session.session_id, { code });
    if (result !== "2") throw new Error(`The code answers ${result}: ${error}`);
  };
  const direct = async () => {
    const browser = await chromium.connectOverCDP(chromeURL);
    const context = browser.contexts()[0] ?? (await browser.newContext());
    const page = context.pages()[0] ?? (await context.newPage());
    if ((await runDirectly(page)) !== "2") throw new Error("The page answers something else");
    await browser.close();
  };
  try {
    let codes = 0;
    const newCode = await timePair(60, {
      berth: () => {
        codes += 1;
        return execute(`${CODE} // ${codes}`);
      },
      direct,
    });
    const sameCode = await timePair(100, { berth: () => execute(CODE), direct });
    return [
      { figure: "execute, new code", beside: BESIDE, ...newCode },
      { figure: "execute, same code again", beside: BESIDE, ...sameCode },
    ];
  } finally {
    await kernel.browsers.deleteByID(session.session_id);
  }
}
