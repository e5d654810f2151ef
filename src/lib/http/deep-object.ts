import { badRequest } from "../common/errors.ts";

/** Reads `name[key]=value` parameters. @throws ServiceError 400 if a key is empty, unclosed or repeated. */
export function readDeepObject(query: Record<string, string[]>, name: string): Record<string, string> {
  const map: Record<string, string> = Object.create(null);
  for (const [parameter, values] of Object.entries(query)) {
    if (!parameter.startsWith(`${name}[`)) continue;
    const key = parameter.slice(name.length + 1, -1);
    if (key === "" || !parameter.endsWith("]")) {
      throw badRequest({ field: parameter, message: `must have the form ${name}[key]=value` });
    }
    const [value, ...rest] = values;
    if (value === undefined || rest.length > 0) {
      throw badRequest({ field: parameter, message: "must be given once" });
    }
    map[key] = value;
  }
  return map;
}
