import type { Machines } from "./machines.ts";

/** In the text format of Prometheus. */
export function describeMetrics(machines: Machines): string {
  const { started, seconds } = machines.usage;
  const metrics = [
    { name: "session_host_machines", type: "gauge", help: "Running machines.", value: machines.count },
    {
      name: "session_host_draining",
      type: "gauge",
      help: "1 if it takes no new machine.",
      value: Number(machines.isDraining),
    },
    {
      name: "session_host_machines_started_total",
      type: "counter",
      help: "Started machines.",
      value: started,
    },
    {
      name: "session_host_machine_seconds_total",
      type: "counter",
      help: "Seconds that machines have run.",
      value: seconds,
    },
    {
      name: "session_host_memory_bytes",
      type: "gauge",
      help: "Memory of the host's own process.",
      value: process.memoryUsage().rss,
    },
  ];
  return metrics
    .map(
      ({ name, type, help, value }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`,
    )
    .join("");
}
