export { BidiConnection } from "./bidi-connection.ts";
export { newSessionSchema, selectCapabilities, type WebDriverSettings } from "./classic/capabilities.ts";
export type { DriverState } from "./classic/driver.ts";
export { toAnswer, type WebDriverAnswer, WebDriverError, type WebDriverErrorCode } from "./classic/errors.ts";
export { ClassicSession, type WebDriverRequest } from "./classic/session.ts";
