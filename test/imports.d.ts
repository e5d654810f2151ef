/** The text of a file. */
declare module "*?raw" {
  const text: string;
  export default text;
}

/** Another instance of the module, with its own state. */
declare module "*/dynamic-workers/modules.ts?again" {
  export { readModule } from "../src/platform/dynamic-workers/modules.ts";
}
