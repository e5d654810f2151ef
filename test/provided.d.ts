import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the launcher of test/outside. */
    chromiumLauncher: string;
  }
}
