import type { OpenAPIDocument, Operation, SchemaObject } from "./openapi.ts";
import { exampleOf, type Field, fieldsOf, referencedName, typeOf } from "./schema-fields.ts";

/** Responses that the overview describes for all operations. */
const FIRST_ERROR_STATUS = 400;

interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

interface Page {
  /** File name without extension. */
  name: string;
  title: string;
  markdown: string;
}

/** The pages of the API reference: an overview and a page per tag. */
export function apiPages(document: OpenAPIDocument): Page[] {
  const endpoints = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, operation]): Endpoint => ({ method: method.toUpperCase(), path, operation }),
    ),
  );
  const pages = document.tags.map(({ name, description }) => {
    const ofTag = endpoints.filter(({ operation }) => operation.tags[0] === name);
    return { name: slug(name), title: name, description, endpoints: ofTag };
  });
  return [
    { name: "index", title: "Overview", markdown: overview(document, pages) },
    ...pages.map(({ name, title, description, endpoints }) => ({
      name,
      title,
      markdown: tagPage({ title, description, endpoints }, document),
    })),
  ];
}

interface TagPage {
  title: string;
  description: string;
  endpoints: readonly Endpoint[];
}

function overview(document: OpenAPIDocument, pages: readonly (TagPage & { name: string })[]): string {
  const { Error: error = {} } = document.components.schemas;
  return join(
    `# API reference`,
    text(document.info.description),
    `Send the API key as \`Authorization: Bearer …\`. The reference is made from <a href="/openapi.json" target="_self">/openapi.json</a>,
from which you can also generate clients. **Try it** under an operation calls this service with your key, which
stays in the page's memory.`,
    `## Operations`,
    ...pages.flatMap(({ name, title, endpoints }) => [
      `### [${title}](./${name}.md)`,
      table(
        ["Operation", "Route"],
        endpoints.map(({ method, path, operation }) => [
          `[${text(operation.summary)}](./${name}.md#${operation.operationId})`,
          `\`${method} ${path}\``,
        ]),
      ),
    ]),
    `## Errors`,
    text(error.description ?? ""),
    fieldTable(fieldsOf(error, document.components.schemas)),
    json(exampleOf(error, document.components.schemas)),
    `Every operation can respond with these statuses. \`x-should-retry\` says whether to repeat the unchanged call, and
\`Retry-After\` when.`,
    table(["Status", "Meaning"], Object.entries(errorResponses(document))),
  );
}

function errorResponses(document: OpenAPIDocument): Record<string, string> {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const errors = operations.flatMap(({ responses }) =>
    Object.entries(responses).filter(([status]) => Number(status) >= FIRST_ERROR_STATUS),
  );
  return Object.fromEntries(
    errors.map(([status, { description }]) => [`\`${status}\``, text(description)]).sort(),
  );
}

function tagPage({ title, description, endpoints }: TagPage, document: OpenAPIDocument): string {
  const objects = new Set(endpoints.flatMap(({ operation }) => responseObjects(operation)));
  return join(
    `---\ndescription: ${JSON.stringify(description)}\n---`,
    `# ${title}`,
    text(description),
    ...endpoints.map((endpoint) => operationSection(endpoint, document)),
    ...[...objects].sort().map((name) => objectSection(name, document)),
  );
}

function operationSection({ method, path, operation }: Endpoint, document: OpenAPIDocument): string {
  const { schemas } = document.components;
  const parameters = operation.parameters.map(({ name, in: place, required = false, schema }) => ({
    field: { name, type: typeOf(schema, schemas), isRequired: required, schema },
    place,
  }));
  const parametersIn = (place: string, title: string) => {
    const fields = parameters.filter((parameter) => parameter.place === place);
    return fields.length === 0 ? [] : [`**${title}**`, fieldTable(fields.map(({ field }) => field))];
  };
  return join(
    `## ${text(operation.summary)} {#${operation.operationId}}`,
    `<div class="endpoint"><span class="method">${method}</span> <code>${escapeHTML(path)}</code></div>`,
    ...(operation.deprecated ? ["::: warning Deprecated\n:::"] : []),
    text(operation.description ?? ""),
    ...parametersIn("path", "Path"),
    ...parametersIn("query", "Query"),
    ...parametersIn("header", "Headers"),
    ...bodySection(operation, document),
    "**Responses**",
    table(["Status", "Body"], responseRows(operation, document)),
    tryIt({ method, path, operation }, document),
  );
}

function bodySection({ requestBody }: Operation, { components: { schemas } }: OpenAPIDocument): string[] {
  if (requestBody === undefined) return [];
  const [[type, { schema = {} }] = ["", {}]] = Object.entries(requestBody.content);
  const fields = fieldsOf(schema, schemas);
  const title = `**Body**, \`${type}\`${requestBody.required === false ? ", optional" : ""}`;
  const note = schema.description === undefined ? [] : [text(schema.description)];
  return fields.length === 0 ? [title, ...note] : [title, ...note, fieldTable(fields)];
}

function responseRows(
  { responses }: Operation,
  { components: { schemas } }: OpenAPIDocument,
): [string, string][] {
  const successes = Object.entries(responses).filter(([status]) => Number(status) < FIRST_ERROR_STATUS);
  const errors = Object.keys(responses).filter((status) => Number(status) >= FIRST_ERROR_STATUS);
  const rows = successes.map(([status, { description, content = {} }]): [string, string] => {
    const bodies = Object.entries(content).map(([type, { schema }]) => bodyType(type, schema, schemas));
    return [`\`${status}\``, [text(description), ...bodies].join(" ")];
  });
  return [...rows, [errors.map((status) => `\`${status}\``).join(" "), "[Error](./index.md#errors)"]];
}

function bodyType(
  type: string,
  schema: SchemaObject | undefined,
  schemas: OpenAPIDocument["components"]["schemas"],
): string {
  const name = schema && (referencedName(schema) ?? (schema.items && referencedName(schema.items)));
  if (schema === undefined || name === undefined) {
    return type === "application/json" && schema ? typeOf(schema, schemas) : `\`${type}\``;
  }
  const link = `[${name}](#${objectAnchor(name)})`;
  const shown = schema.items === undefined ? link : `List of ${link}.`;
  return type === "application/json" ? shown : `${shown} as \`${type}\``;
}

function responseObjects({ responses }: Operation): string[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < FIRST_ERROR_STATUS)
    .flatMap(([, { content = {} }]) => Object.values(content))
    .flatMap(
      ({ schema }) => (schema && (referencedName(schema) ?? referencedName(schema.items ?? {}))) ?? [],
    );
}

function objectSection(name: string, { components: { schemas } }: OpenAPIDocument): string {
  const schema = schemas[name] ?? {};
  return join(
    `## ${name} {#${objectAnchor(name)}}`,
    text(schema.description ?? ""),
    fieldTable(fieldsOf(schema, schemas)),
    json(exampleOf(schema, schemas)),
  );
}

function tryIt({ method, path, operation }: Endpoint, { components: { schemas } }: OpenAPIDocument): string {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const otherBody = operation.requestBody !== undefined && body === undefined;
  if (otherBody) return "";
  const isOperatorCall = operation.security?.some((scheme) => "operatorToken" in scheme) ?? false;
  const request = {
    method,
    path,
    credential: isOperatorCall ? "ADMIN_TOKEN" : "API key",
    query: operation.parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    ...(body && { body: JSON.stringify(exampleOf(body, schemas), null, 2) }),
  };
  return `<TryIt :request="${escapeHTML(JSON.stringify(request))}" />`;
}

function fieldTable(fields: readonly Field[]): string {
  return table(
    ["Name", "Type", "Description"],
    fields.map(({ name, type, isRequired, schema }) => [
      `\`${name}\`${isRequired ? " *required*" : ""}`,
      type,
      [text(schema.description ?? ""), ...constraints(schema)].filter(Boolean).join(" "),
    ]),
  );
}

function constraints(schema: SchemaObject): string[] {
  const { enum: values, minimum, maximum, deprecated } = schema;
  const code = (value: unknown) => `\`${JSON.stringify(value)}\``;
  const hasDefault = schema.default !== undefined && JSON.stringify(schema.default) !== "{}";
  return [
    deprecated ? "Deprecated." : "",
    values === undefined ? "" : `One of ${values.map(code).join(", ")}.`,
    minimum === undefined && maximum === undefined ? "" : `${range(minimum, maximum)}.`,
    hasDefault ? `Default: ${code(schema.default)}.` : "",
  ];
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  if (isOpen) return `At least ${minimum ?? 0}`;
  return minimum === undefined ? `At most ${maximum}` : `${minimum} to ${maximum}`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cell = (value: string) => value.replaceAll("|", "\\|").replaceAll("\n", " ");
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function join(...parts: readonly string[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}

const objectAnchor = (name: string) => `object-${name}`;

/** Text in which Markdown marks work but HTML and Vue templates do not. */
function text(value: string): string {
  return value
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;").replaceAll("{{", "&#123;{")))
    .join("");
}

function escapeHTML(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
