import type { SchemaObject } from "./openapi.ts";

export interface Field {
  /** Path within the object, such as `viewport.width` or `extensions[].id`. */
  name: string;
  isRequired: boolean;
  schema: SchemaObject;
}

/** The fields of an object and of the objects within it. Of alternatives, each field is listed once. */
export function fieldsOf(schema: SchemaObject, prefix = ""): Field[] {
  const { properties = {}, required = [], items } = schema;
  const own = Object.entries(properties).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const field = { name, isRequired: required.includes(key), schema: property };
    return [field, ...fieldsOf(property, `${name}.`)];
  });
  const ofItems = items === undefined ? [] : fieldsOf(items, `${prefix.replace(/\.$/, "")}[].`);
  const ofAlternatives = alternativesOf(schema).map((alternative) => fieldsOf(alternative, prefix));
  return [...own, ...ofItems, ...mergeAlternatives(ofAlternatives)];
}

const alternativesOf = ({ oneOf = [], anyOf = [] }: SchemaObject) => [...oneOf, ...anyOf];

/** A field is required if all alternatives require it. */
function mergeAlternatives(alternatives: readonly Field[][]): Field[] {
  const merged = new Map<string, Field>();
  for (const field of alternatives.flat()) {
    const known = merged.get(field.name);
    if (known === undefined) {
      const isRequired = alternatives.every((fields) =>
        fields.some((other) => other.name === field.name && other.isRequired),
      );
      merged.set(field.name, { ...field, isRequired });
    } else if (known.schema.enum !== undefined && field.schema.enum !== undefined) {
      const values = [...new Set([...known.schema.enum, ...field.schema.enum])];
      merged.set(field.name, { ...known, schema: { ...known.schema, enum: values } });
    }
  }
  return [...merged.values()];
}

export function typeOf(schema: SchemaObject): string {
  const { type, format, items } = schema;
  if (items !== undefined) return `${typeOf(items)}[]`;
  if (type !== undefined) {
    const types = [type].flat();
    return types.map((name) => (format === undefined || name === "null" ? name : format)).join(" or ");
  }
  return [...new Set(alternativesOf(schema).map(typeOf))].join(" or ") || "any";
}

/** An example made from those of its parts: all required fields, and optional ones that have an example. */
export function exampleOf(schema: SchemaObject): unknown {
  const { example, properties, required = [], items, ...rest } = schema;
  if (example !== undefined) return example;
  const [alternative] = alternativesOf(schema);
  if (alternative !== undefined) return exampleOf(alternative);
  if (properties !== undefined) {
    const shown = Object.entries(properties).filter(
      ([key, property]) => required.includes(key) || (!property.deprecated && property.example !== undefined),
    );
    return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property)]));
  }
  if (items !== undefined) return [exampleOf(items)];
  if (rest.enum !== undefined) return rest.enum[0];
  if (rest.default !== undefined) return rest.default;
  if (rest.type === "integer" || rest.type === "number") return rest.minimum ?? 1;
  if (rest.type === "boolean") return true;
  return rest.type === "object" ? {} : "text";
}
