export { BidiConnection } from "./bidi-connection.ts";
export {
  bidiPromptBehavior,
  parse,
  selectCapabilities,
  type WebDriverSettings,
} from "./classic/capabilities.ts";
export type { DriverState } from "./classic/driver.ts";
export { toAnswer, type WebDriverAnswer, WebDriverError } from "./classic/errors.ts";
export { ClassicSession, type WebDriverRequest } from "./classic/session.ts";
