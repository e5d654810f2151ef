import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { Client } from "./api.ts";

const REFERENCE_PREFIX = "#/components/schemas/";

const nodeSchema = z.looseObject({
  $ref: z.string().optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), z.looseObject({})).optional(),
});
type Node = z.infer<typeof nodeSchema>;

const operationSchema = z.looseObject({
  operationId: z.string().optional(),
  description: z.string().optional(),
  parameters: z.array(z.looseObject({ name: z.string(), description: z.string().optional() })).default([]),
  requestBody: nodeSchema.default({}),
  responses: z.record(z.string(), z.unknown()),
});
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), nodeSchema) }),
});

describe("the OpenAPI document", () => {
  let document: z.infer<typeof documentSchema>;
  let operations: [route: string, operation: z.infer<typeof operationSchema>][];

  beforeAll(async () => {
    document = (await new Client().get("/openapi.json")).read(documentSchema);
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): (typeof operations)[number] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });

  /** A node and its descendants with their places, without examples. */
  function within(value: unknown, place: string, followsReferences = false): [place: string, node: Node][] {
    const node = nodeSchema.safeParse(value).data ?? {};
    const reference = node.$ref?.replace(REFERENCE_PREFIX, "");
    const children = Object.entries(Object(value)).filter(([key]) => key !== "example");
    if (followsReferences && reference !== undefined)
      children.push([reference, document.components.schemas[reference]]);
    const descendants = children.flatMap(([key, child]) =>
      child !== null && typeof child === "object" ? within(child, `${place}.${key}`, followsReferences) : [],
    );
    return [[place, node], ...descendants];
  }

  it("describes each operation, parameter and property", () => {
    const undescribed = operations.flatMap(([route, { operationId, description, parameters }]) => [
      ...(operationId && description ? [] : [route]),
      ...parameters.filter((parameter) => !parameter.description).map(({ name }) => `${route} ${name}`),
    ]);
    const properties = within(document, "").flatMap(([place, node]) =>
      Object.entries(node.properties ?? {}).map(([name, property]) => ({
        name: `${place}.${name}`,
        property,
      })),
    );
    expect(properties.length).toBeGreaterThan(300);
    for (const { name, property } of properties) {
      const { description, $ref = "" } = nodeSchema.parse(property);
      const target = document.components.schemas[$ref.replace(REFERENCE_PREFIX, "")];
      if (!(description ?? target?.description)) undescribed.push(name);
    }
    expect(undescribed).toEqual([]);
  });

  // A generator of clients makes fields with a default required, except in bodies that are written out.
  it("writes out request bodies that have defaults", () => {
    const nodes = operations.flatMap(([route, { requestBody }]) => within(requestBody, route));
    const references = nodes.filter(([, { $ref }]) => $ref !== undefined);
    const nested = references.flatMap(([place, node]) => within(node, place, true));
    expect(nested.filter(([, node]) => "default" in node).map(([place]) => place)).toEqual([]);
    expect(nodes.filter(([, node]) => "default" in node).length).toBeGreaterThan(20);
  });

  it("says of each operation with a body that the body may be too large", () => {
    const withBody = operations.filter(([, { requestBody }]) => Object.keys(requestBody).length > 0);
    expect(withBody.length).toBeGreaterThan(50);
    expect(withBody.filter(([, { responses }]) => !("413" in responses)).map(([route]) => route)).toEqual([]);
  });

  it("shows an example of what the probe reports", () => {
    const [, report] = operations.find(([route]) => route === "PUT /admin/capabilities/{check}") ?? [];
    expect(JSON.stringify(report?.requestBody)).toContain('"example":{"outcome"');
  });

  it("has no defaults in PATCH bodies, where an absent field keeps its value", () => {
    const changes = operations.filter(([route]) => route.startsWith("PATCH "));
    const nodes = changes.flatMap(([route, { requestBody }]) => within(requestBody, route, true));
    expect(nodes.filter(([, node]) => "default" in node).map(([place]) => place)).toEqual([]);
  });

  it("has examples that match their schemas", () => {
    const nodes = operations.flatMap(([route, { requestBody }]) => within(requestBody, route, true));
    for (const [place, { example, ...node }] of nodes.filter(([, node]) => "example" in node)) {
      const text = JSON.stringify({ ...node, $defs: document.components.schemas });
      const schema = z.fromJSONSchema(JSON.parse(text.replaceAll(REFERENCE_PREFIX, "#/$defs/")));
      expect(schema.safeParse(example).error, place).toBeUndefined();
    }
  });
});
