import type * as entries from "./bundle-entry.ts";
import type * as bundled from "./bundled.js";
import type { PageFunction } from "./page-function.ts";

type Satisfies<Actual extends Expected, Expected> = Actual;

export type Checked = Satisfies<
  { [Name in keyof typeof entries]: PageFunction<(typeof entries)[Name]> },
  typeof bundled
>;
