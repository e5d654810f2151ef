import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the launcher of test/outside. */
    chromiumLauncher: string;
    exhaustive: boolean;
    /** Address of test/conformance/shared-service-setup.ts, which starts the shared service on request. */
    sharedService: string;
  }
}
