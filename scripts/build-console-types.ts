/** Writes the types of the console's API client from the API's own document. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS from "openapi-typescript";
import { readOpenAPIJSON } from "./docs/openapi.ts";
import { ROOT } from "./local/paths.ts";

const TYPES = join(ROOT, "web", "console", "api", "openapi.d.ts");

writeFileSync(TYPES, await openapiTS(JSON.parse(await readOpenAPIJSON())));
