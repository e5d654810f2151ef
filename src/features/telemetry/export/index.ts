export { type ExporterOptions, OTLPExporter } from "./exporter.ts";
export { type SendResult, sendLogs } from "./send-logs.ts";
export { selectDestination } from "./store.ts";
