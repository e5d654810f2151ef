import type { Page } from "playwright-core";

export interface PageReport {
  title: string;
  headings: string[];
  links: { text: string; url: string }[];
}

export async function readPage(page: Page): Promise<PageReport> {
  return {
    title: await page.title(),
    headings: await page.getByRole("heading").allInnerTexts(),
    links: await page.getByRole("link").evaluateAll((anchors) =>
      anchors.map((anchor) => ({
        text: anchor.textContent?.trim() ?? "",
        url: anchor instanceof HTMLAnchorElement ? anchor.href : "",
      })),
    ),
  };
}
