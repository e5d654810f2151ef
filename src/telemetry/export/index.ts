export { type ExporterOptions, OTLPExporter } from "./exporter.ts";
export { otlpDestinationRoutes } from "./routes.ts";
export { selectDestination } from "./store.ts";
