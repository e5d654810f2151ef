/** The module that an app is bundled to. What it exports is the app's own affair. */
declare const exports: Record<string, unknown>;
export default exports;
