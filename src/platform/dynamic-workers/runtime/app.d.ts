/** The bundle of an app, with any exports. */
declare const exports: Record<string, unknown>;
export default exports;
