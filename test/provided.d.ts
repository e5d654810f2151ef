import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the launcher of test/outside. */
    chromiumLauncher: string;
    /** Whether this is the lane of the long runs. */
    exhaustive: boolean;
    /** Address of test/conformance/shared-service-setup.ts, where the shared service is asked for. */
    sharedService: string;
  }
}
