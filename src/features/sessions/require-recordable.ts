import { badRequest } from "../../lib/common/errors.ts";

/** @throws ServiceError 400 on `record` if a headless browser is to be recorded. */
export function requireRecordable(browser: { headless: boolean; record?: boolean }): void {
  if (browser.headless && browser.record) {
    throw badRequest({ field: "record", message: "a headless session cannot be recorded" });
  }
}
