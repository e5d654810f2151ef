/** The compiled script, whose code is the body of this function. */
import type { Browser, BrowserContext, Page } from "@cloudflare/playwright";

export default function script(page: Page, context: BrowserContext, browser: Browser): Promise<unknown>;
