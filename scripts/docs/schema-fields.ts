import type { OpenAPIDocument, SchemaObject } from "./openapi.ts";

export interface Field {
  /** Path within the object, such as `viewport.width` or `extensions[].id`. */
  name: string;
  type: string;
  isRequired: boolean;
  schema: SchemaObject;
}

type Schemas = OpenAPIDocument["components"]["schemas"];

const REFERENCE_PREFIX = "#/components/schemas/";

export function referencedName({ $ref }: SchemaObject): string | undefined {
  return $ref?.slice(REFERENCE_PREFIX.length);
}

function resolve(schema: SchemaObject, schemas: Schemas): SchemaObject {
  const name = referencedName(schema);
  if (name === undefined) return schema;
  const target = schemas[name];
  if (target === undefined) throw new Error(`There is no schema ${name}`);
  return { ...target, ...(schema.description && { description: schema.description }) };
}

/** The fields of an object and of the objects within it. Of alternatives, each field is listed once. */
export function fieldsOf(schema: SchemaObject, schemas: Schemas, prefix = ""): Field[] {
  const { properties = {}, required = [], items, oneOf, anyOf } = resolve(schema, schemas);
  const own = Object.entries(properties).flatMap(([key, property]) => {
    const name = `${prefix}${key}`;
    const type = typeOf(property, schemas);
    const isRequired = required.includes(key);
    const field = { name, type, isRequired, schema: resolve(property, schemas) };
    return [field, ...fieldsOf(property, schemas, `${name}.`)];
  });
  const ofItems = items === undefined ? [] : fieldsOf(items, schemas, `${prefix.replace(/\.$/, "")}[].`);
  const ofAlternatives = mergeAlternatives(
    [...(oneOf ?? []), ...(anyOf ?? [])].map((alternative) => fieldsOf(alternative, schemas, prefix)),
  );
  return [...own, ...ofItems, ...ofAlternatives];
}

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

export function typeOf(schema: SchemaObject, schemas: Schemas): string {
  const { type, format, items, oneOf, anyOf } = resolve(schema, schemas);
  if (items !== undefined) return `${typeOf(items, schemas)}[]`;
  if (type !== undefined) {
    const types = [type].flat();
    return types.map((name) => (format === undefined || name === "null" ? name : format)).join(" or ");
  }
  const alternatives = [...(oneOf ?? []), ...(anyOf ?? [])].map((alternative) =>
    typeOf(alternative, schemas),
  );
  return [...new Set(alternatives)].join(" or ") || "any";
}

/**
 * An example value made from the examples of its parts: all required fields, and the optional ones that have
 * an example.
 */
export function exampleOf(schema: SchemaObject, schemas: Schemas): unknown {
  const { example, properties, required = [], items, oneOf, anyOf, ...rest } = resolve(schema, schemas);
  if (example !== undefined) return example;
  const [alternative] = [...(oneOf ?? []), ...(anyOf ?? [])];
  if (alternative !== undefined) return exampleOf(alternative, schemas);
  if (properties !== undefined) {
    const shown = Object.entries(properties).filter(
      ([key, property]) =>
        required.includes(key) || (!property.deprecated && resolve(property, schemas).example !== undefined),
    );
    return Object.fromEntries(shown.map(([key, property]) => [key, exampleOf(property, schemas)]));
  }
  if (items !== undefined) return [exampleOf(items, schemas)];
  if (rest.enum !== undefined) return rest.enum[0];
  if (rest.default !== undefined) return rest.default;
  if (rest.type === "integer" || rest.type === "number") return rest.minimum ?? 1;
  if (rest.type === "boolean") return true;
  return rest.type === "object" ? {} : "text";
}
